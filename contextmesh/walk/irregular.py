"""English past forms that no rule of spelling leads back to their verb."""

from __future__ import annotations

_FORMS = """
arose arise|ate eaten eat|beat beaten beat|became become|began begun begin|bent bend|bet bet|bit bitten bite|bled bleed
blew blown blow|bore borne bear|bought buy|bound bind|broke broken break|brought bring|built build|burnt burn
came come|caught catch|chose chosen choose|clung cling|crept creep|dealt deal|drank drunk drink|drew drawn draw
drove driven drive|dug dig|fed feed|fell fallen fall|felt feel|fled flee|flew flown fly|forbade forbidden forbid
forgot forgotten forget|fought fight|found find|froze frozen freeze|gave given give|got gotten get|grew grown grow
held hold|hid hidden hide|hung hang|kept keep|knew known know|laid lay|led lead|left leave|lent lend|lit light|lost lose
made make|meant mean|met meet|mistook mistaken mistake|overran overrun|paid pay|ran run|rang rung ring|rode ridden ride
rose risen rise|said say|sang sung sing|sank sunk sink|sat sit|saw seen see|sent send|shook shaken shake|shone shine
shot shoot|showed shown show|shrank shrunk shrink|slept sleep|slid slide|sold sell|sought seek|spent spend
spoke spoken speak|sprang sprung spring|stole stolen steal|stood stand|stuck stick|struck stricken strike
swam swum swim|swore sworn swear|swept sweep|taught teach|thought think|threw thrown throw|told tell|took taken take
tore torn tear|understood understand|underwent undergone undergo|went gone go|withdrew withdrawn withdraw
woke woken wake|won win|wore worn wear|wound wind|wrote written write|died dying die|lay lain lie
"""


def _table() -> dict[str, str]:
    groups = (group.split() for line in _FORMS.strip().splitlines() for group in line.split("|"))
    return {form: verb for *forms, verb in groups for form in forms}


VERB_OF: dict[str, str] = _table()
"""Past form to verb."""
