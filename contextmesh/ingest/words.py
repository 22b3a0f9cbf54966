"""Lists of English words that the extraction needs: what opens sentences, what asserts, what names nothing."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """The words of a list written as running text."""
    return frozenset(text.split())


# Words that are no part of a name when a sentence opens with them, and never a name by themselves.
COMMON = word_set(
    """
    a about above according accordingly across actually additionally adding add after afterwards again against
    albeit all allow allows almost alone along already also alternatively although always am among amongst amount
    an and another any anybody anyone anything anyway apart apparently are around as aside ask assume assuming at
    attempt author authors avoid away back based basically be because become been before begin behind being below
    beside besides best better between beyond big both bottom brief briefly but by call called calls can cannot
    case cases certain certainly change changed changes check choose chosen clearly code come comes common compare
    compared comparing consequently consider considering contrary conversely could create created creating current
    currently data date day days decided define defined depending describe described despite details did different
    do does doing done due during each earlier early easier easily either else elsewhere end ensure enough
    entirely equally especially essentially etc even eventually ever every everybody everyone everything
    everywhere exactly example examples except existing expect extra fact false few fewer figure file files final
    finally find finding first following follows for former formerly fortunately forward four found from full
    further furthermore general generally get gets getting give given gives giving go goes going good great had
    half hand has have having he hence her here hers herself high higher him himself his historically how however
    i idea ideally if imagine implementation important in include included includes including increase indeed
    initially inside instead into introduction is issue issues it items its itself just keep keeping kind know
    known large larger last lastly late later latter least left less lest let lets level like likewise line list
    little local long longer look looking lot low lower made mainly make makes making man many may maybe me mean
    means meanwhile members men merely method methods might mine minor more moreover most mostly move much
    multiple must my myself name namely names natural near nearly necessary need needed needs neither never
    nevertheless new newer next nice night no nobody none nonetheless nor normally not note notes nothing notice
    now nowadays nowhere number object objects obviously occasionally of off often oh ok okay old older on once
    one ones only onto open option options or order ordinarily originally other others otherwise our ours
    ourselves out outside over overall own page part particular particularly parts past people per perform
    performance perhaps person place please plus point points possible possibly potentially preferably present
    presently presumably pretty previous previously primarily prior probably problem problems process program
    proposal proposed pros provide provided provides providing put question questions quickly quite rarely rather
    read reading real really reason reasons recent recently recall record records regarding regardless rejected
    related relatively remember remove removed removing replace report request require required requirements
    requires result results return returning returns review right roughly run running safe same say says second
    secondly section see seems seldom self separate set several shall she should show shows similar similarly
    simple simply since single six small smaller so some somebody somehow someone something sometimes somewhat
    somewhere soon sorry source sources specific specifically standard start state statement still stop strictly
    string strings subsequently such suggest suggested sum summary support supports suppose supposing sure surely
    system systems take taken takes taking team teams ten test testing tests text than thank thanks that the their
    theirs them themselves then there thereafter therefore these they thing things think third this those though
    three through throughout thus till time times title to today together tomorrow too top total toward towards
    traditionally true try trying turn two type types typical typically ultimately under underneath undoubtedly
    unfortunately unless unlike until up upon us use used useful user users uses using usual usually value values
    variable variables various version versions very via view want wanted warning was way ways we week weeks well
    were what whatever when whenever where whereas wherever whether which whichever while who whoever whole whom
    whose why wide will with within without word words work working works would write writing written wrong year
    years yes yesterday yet you young your yours yourself zero acceptable access accept accepted action active
    additional address adopt advantage advantages affected allowed allowing alternate alternative alternatives
    amid analysis annual application applications apply applying approach approaches area argument arguments
    article assigning assignment attribute attributes automatic available background basic behavior behaviour
    benefit benefits beta bit black body book border bring bug bugs build building builds business button cache
    central chapter character characters child children city class classes clean client close cold collection
    column comment comments community company complete component components concept conclusion condition
    configuration connection consequence consequences consistent construct constructor content context control
    conversion copy core correct cost costs count country course critical custom customer database deadline deal
    decision decisions default defining definition delete deploy deprecated design designed developer developers
    development device devices direct directory discussion disk distribution doc docs document documentation
    documents drop dynamic editor effect element elements email empty environment error errors evaluation event
    events evidence evolution exception exceptions execution expert explicit export expression external factors
    failure family feature features feedback field fields film financial fix fixed flag flexible force form format
    free friend function functions future game generator global goal goals government graph group groups growth
    guide handling hard help helper history home host hour hours house human identifiers image impact implement
    implementing implicit import imports improve improved improving increased index indexes individual information
    input inputs install installing instance instances interface interfaces internal iteration iterator iterators
    job jobs key keys keyword keywords language languages law learning legacy length letter library life limit
    limited limits link links live load logging login loop machine macro main maintain maintainability maintaining
    maintenance major management manager manual map mapping market match maximum measure media memory merge
    message messages metadata middle migrate migration minimum mode model models modern modification modifications
    module modules money monitor month months motivation mouse music namespace namespaces network nodes normal
    numeric official online operation operations operator operators optional ordering organization original output
    outputs overhead overview package packages pair parameter parameters parent parse parser parsing party path
    pattern patterns pay pending phase phone plan plans platform play player plenty poll post potential power
    practice preferred price private product production programmers programs project projects proper properties
    property propose protocol proxy public publish pull purpose quality query questionable quick random range rate
    rationale raw reader readers reference references register regular rejection release releases relevant
    reliable remain remaining remote rename replacing repository reports requests requirement research reserved
    resolution resource resources response responses restriction restrictions revert rule rules runtime sample
    save scalability scale schedule scheduling school scope script scripts search security select selecting
    sequence sequences serial series server servers service services session setting settings setup shape share
    shared short side sign simplest site size slow software solution solutions song sort space special
    specification specifications specifying speed split stable staff stage standards static status step steps
    storage store strategy strict strong structure student students style subject submit success sufficient suite
    syntax table tables tag tags target task tasks technical template term terminology terms thread threads
    timeline timeouts token tokens tool tooling tools topic track traffic transaction transition tree trial tuple
    unit unknown unresolved update updates updating upgrade usability usage utility validation vector
    vendor verbose video visibility visit wait water website welcome window woman women world
    """
)

# Capitalised words that name no thing a question is about.
CALENDAR = word_set(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat
    sun spring summer autumn winter christmas easter
    """
)
DEMONYMS = word_set(
    """
    american british english french german italian spanish chinese japanese russian indian canadian australian
    irish scottish welsh dutch greek roman latin european african asian swedish norwegian danish polish turkish
    korean mexican brazilian portuguese arab arabic jewish christian muslim catholic protestant western eastern
    northern southern north south east west northeast northwest southeast southwest
    """
)
TITLES = word_set(
    """
    mr mrs ms dr prof professor sir lady lord dame king queen prince princess president senator governor mayor
    judge captain colonel general major lieutenant sergeant saint st rev reverend father mother brother sister
    uncle aunt pope emperor duke duchess count countess baron minister secretary chairman director coach gen lt
    col capt sgt gov sen rep maj cmdr adm hon
    """
)
# A number after one of these points at a part of a text, not at a thing.
PARTS = word_set(
    """
    section figure table chapter appendix step option page line part item phase case example note footnote listing
    equation column row paragraph volume figures tables sections options steps level type class round stage
    """
)
SHOUTED = word_set(
    """
    must should shall may not and or but required recommended optional all never always any no yes only if then
    else do note todo fixme xxx warning important ok the is are in of to for on at by with very really
    """
)
SAMPLE_NAMES = word_set(
    """
    foo bar baz spam eggs ham qux quux foobar xyz abc xxx none true false self cls args kwargs
    """
)

_VERBS = word_set(
    """
    accept access achieve acquire act add address adopt affect agree aim allow alter announce answer appear append
    apply appoint approve argue arise arrive ask assert assign assist assume attack attempt attend attract author
    avoid award back base battle bear beat become begin behave believe belong benefit bind block boast border born
    borrow break bring build burn buy cache calculate call capture carry cast catch cause celebrate change charge
    check choose cite claim clean close coach coin collect combine come command commit communicate compare compete
    compile complete compose comprise compute concern conduct confirm conflict connect consider consist constitute
    construct consult contain continue contribute control convert cook copy correspond cost count cover create
    cross cut date deal debate debut decide decline decrease defeat define delay delete deliver demand demonstrate
    deny depend deploy deprecate derive describe deserve design destroy detect determine develop die differ direct
    disable disagree disappear discover discuss display distinguish distribute divide document double drive drop
    earn eat edit effect elect eliminate embed emerge employ enable encode encounter encourage end endorse enforce
    engage enjoy enlist ensure enter equal escape establish estimate evaluate evolve examine exceed execute
    exhibit exist expand expect experience explain explore export express extend face fail fall favor feature feed
    feel fight fill find finish fire fit fix flow focus follow force forget form found freeze function gain gather
    generate get give go govern graduate grant grow guarantee guard guide handle hang happen harm hate head hear
    help hide highlight hire hit hold hope host house identify ignore illustrate imagine implement imply import
    improve include incorporate increase indicate inform inherit initiate inspire install intend interact
    introduce invent invest invite invoke involve issue join judge jump justify keep kill know label lack land
    last launch lay lead learn leave lend let license lie like limit link list listen live load locate lock log
    look lose love maintain make manage map mark marry match matter mean measure meet merge migrate modify monitor
    motivate mount move name need note notice notify number observe obtain occupy occur offer open operate oppose
    order organize originate own pack parse participate pass patch pay perform permit pick place plan play point
    possess post practise prefer prepare present preserve prevent produce promise promote prompt propose protect
    prove provide publish pull purchase push qualify question quit raise range rank rate reach react read realize
    rebuild receive recognize recommend record recover redirect reduce refer reflect refuse register regulate
    reject relate release rely remain remember remove rename render rent repeat replace replay report represent
    request require rescue research reserve reside resign resolve respond rest restart restore restrict result
    retain retire return reuse reveal review revise ride rise rotate route rule run satisfy save say schedule
    score search see seek seem select sell send serve set settle share shift ship shoot show shrink sign simplify
    sing sit skip sleep solve sound span speak specify spend split sponsor spread stand star start state stay
    steal stem stop store strike study submit succeed suffer suggest suit supersede supply support suppose
    surround survive switch symbolize take talk target teach tell tend terminate test thank think throw tie touch
    tour track trade train transfer translate transmit travel treat trigger trim try turn undergo understand unify
    unite update upgrade use vary verify view violate visit vote wait walk want warn wash watch wear win wish
    withdraw work worry wrap write yield
    """
)
_PAST = word_set(
    """
    arose ate beat became began bent bet bled blew bore bought bound broke brought built burnt came caught chose
    clung cost cut dealt did drank drew driven drove dug fed fell felt fled flew forbade forgot fought found froze
    gave given gone got grew had heard held hid hit hung hurt kept knew known laid lain laughed lay led left lent
    let lit lost made meant met overran paid put quit ran rang read rode rose said sang sank sat saw seen sent set
    shook shot showed shown shrank shut slept slid sold sought spent split spoke sprang spread stood stole struck
    stuck sung swam swept swore taken taught thought threw told took tore understood underwent went woke won wore
    worn wound written wrote
    """
)
_AUXILIARY = word_set(
    """
    am is are was were be been being has have had do does did will would shall should can could may might must
    ought cannot isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't won't wouldn't shouldn't
    can't couldn't mustn't it's that's there's he's she's what's i'm you're we're they're i've you've we've
    they've i'll you'll we'll they'll it'll i'd you'd we'd they'd let's
    """
)


def _forms(verb: str) -> tuple[str, ...]:
    if verb.endswith("e"):
        return verb, verb + "s", verb + "d"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb, verb[:-1] + "ies", verb[:-1] + "ied"
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb, verb + "es", verb + "ed"
    return verb, verb + "s", verb + "ed", verb + verb[-1] + "ed"


VERBS = frozenset(form for verb in sorted(_VERBS) for form in _forms(verb)) | _PAST | _AUXILIARY
FINITE = _AUXILIARY | _PAST

FUNCTION = (
    word_set(
        """
    a an the and or but nor so yet if then than that this these those there here it its he him his she her they
    them their we us our you your i me my who whom whose which what when where why how as at by for from in into
    of off on onto out over per since through to toward towards under until up upon via with within without about
    above across after against along among around because before behind below between beyond despite down during
    except like near not no only own same such too very just also both each either every few many more most much
    neither none once other some all any again ever never always often sometimes still while whereas although
    though unless whether however therefore thus hence instead rather
    """
    )
    | _AUXILIARY
)
