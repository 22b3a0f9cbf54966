"""Where sentences end. Exact offsets, any script, no model.

Our own, because claim ids are made from sentences: a library's new version would rename claims. Rules after
T. Kiss and J. Strunk, Unsupervised Multilingual Sentence Boundary Detection (2006), with lists in place of training.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from contextmesh.ingest.words import word_set

# A full stop of these scripts ends a sentence whatever follows.
_ALWAYS = "。！？｡؟۔।॥።။"
_CLOSERS = "\"'”’»›)]」』】》〉）］*_"
_END = re.compile(rf"(?:[{_ALWAYS}]+|[.!?…]+)(?:\[\d{{1,3}}\])*[{re.escape(_CLOSERS)}]*")
_OPENERS = "\"'“‘«‹([「『【《〈（［*_¿¡—–-"
_PAIRS = {
    "「": "」",
    "『": "』",
    "【": "】",
    "《": "》",
    "〈": "〉",
    "（": "）",
    "［": "］",
    "(": ")",
    "[": "]",
    "“": "”",
    "«": "»",
}
_BRACKET = re.compile("[" + re.escape("".join(_PAIRS) + "".join(_PAIRS.values())) + "]")
_LONGEST_ASIDE = 400
_FIRST_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_LAST_WORD = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]?$|[^\W_]+(?:[-'’][^\W_]+)*$")

# Words whose full stop never ends a sentence: a name follows.
_TITLES = word_set(
    """
    ste dr mr mrs ms mx prof rev fr hon gen col sgt lt capt cmdr maj adm gov sen rep pres st mt ft messrs mme mlle e.g
    i.e eg ie cf viz vs v approx ca resp incl esp al aka a.k.a
    """
)
# Words whose full stop ends no sentence before a number.
_NUMBERED = word_set(
    """
    no nos fig figs eq eqs sec secs ch chap vol vols p pp pt pts art arts para paras ref refs ex tab app r
    """
)
# Words whose full stop may end a sentence: it does before a word that opens sentences.
_EITHER = word_set(
    """
    inc ltd co corp bros dept univ assn est etc jr sr esq ph.d m.d b.a m.a a.m p.m am pm jan feb mar apr jun jul
    aug sep sept oct nov dec mon tue wed thu fri sat sun ave blvd rd op ed eds trans min max avg intl govt
    """
)
OPENING_WORDS = word_set(
    """
    the a an this that these those it its he she his her they their we our you your i my there here in on at by
    for from with without as if when while where after before since until because although though however but and
    or so then thus hence therefore also not no yes some many most all each every both one two three what which
    who why how is are was were do does did can could will would should may might must let please see use other
    another such to into few several nor yet even once whether rather instead unlike despite during between under
    over
    """
)
_LOW_OPENERS = word_set(
    """
    the a an it he she we they i this that there but and so my you if when
    """
)
# Abbreviations of several words that are written with spaces, in lower case: no stop in them, or after them, ends one.
_SPACED = (
    *("z b", "d h", "u a", "o ä", "o a", "i d r", "u u", "z t", "s o", "s u", "u ä", "i a", "v a", "n chr", "v chr"),
    *("i e", "e g", "a k a", "p ex", "b v", "d w z", "m a w", "t ex", "p es", "p ej", "n b"),
)
_ENDS_SPACED = re.compile(r"(?<![^\W_])(?:[^\W\d_]{1,3}\.\s)*[^\W\d_]{1,3}$")
# A day of a month in languages that write it with a stop: 3. März, 24. december, 6. joulukuuta.
_MONTHS = word_set(
    """
    januar jänner februar märz april mai juni juli august september oktober november dezember
    marts maj december mars
    tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta
    marraskuuta joulukuuta
    """
)
_LOOK_BACK = 80
_DEEPEST = 8
_AFTER_QUOTE = frozenset("とってっのはがをにでもへや、，")


def split_sentences(text: str) -> Iterator[tuple[int, int]]:
    """Half-open ranges of the sentences of one paragraph, in order, without the white space around them."""
    asides = _asides(text)
    start = _skip(text, 0)
    for mark in _END.finditer(text):
        if mark.start() < start:
            continue
        if any(begin < mark.start() < end - 1 for begin, end in _over(asides, mark.start())):
            continue
        stop = mark.end()
        if _ends_here(text, start, mark):
            yield start, stop
            start = _skip(text, stop)
    end = len(text.rstrip())
    if start < end:
        yield start, end


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _asides(text: str) -> list[tuple[int, int]]:
    """Bracketed or quoted ranges, outermost only, none longer than a sentence may be."""
    found: list[tuple[int, int]] = []
    stack: list[tuple[str, int]] = []
    for match in _BRACKET.finditer(text):
        char = match[0]
        if char in _PAIRS:
            stack.append((_PAIRS[char], match.start()))
            if len(stack) > _DEEPEST:
                del stack[0]
        elif any(closer == char for closer, _ in stack):
            while stack[-1][0] != char:
                stack.pop()
            _, begin = stack.pop()
            if match.end() - begin <= _LONGEST_ASIDE:
                while found and found[-1][0] > begin:
                    found.pop()
                found.append((begin, match.end()))
    return found


def _over(asides: list[tuple[int, int]], at: int) -> Iterator[tuple[int, int]]:
    # Outermost ranges do not overlap, so the last one that begins before ``at`` is the only candidate.
    low, high = 0, len(asides)
    while low < high:
        middle = (low + high) // 2
        if asides[middle][0] < at:
            low = middle + 1
        else:
            high = middle
    if low:
        yield asides[low - 1]


def _ends_here(text: str, start: int, mark: re.Match[str]) -> bool:
    stop = mark.end()
    rest = text[stop : stop + 40]
    if not rest.strip():
        return True
    body = mark[0]
    if any(char in _ALWAYS for char in body):
        closed = body[-1] in "」』】》〉）］"
        return not (closed and rest[0] in _AFTER_QUOTE)
    if not rest[0].isspace():
        # A Latin stop with no space after it: a number, a name, an address; or the next script goes on.
        return body[0] in ".!?…" and _is_caseless(rest[0]) and _is_caseless(text[mark.start() - 1 : mark.start()])
    following = rest.lstrip().lstrip(_OPENERS).lstrip()
    if not following:
        return True
    word = _FIRST_WORD.match(following)
    first = word[0] if word else ""
    before = text[max(start, mark.start() - _LOOK_BACK) : mark.start()]
    if body[0] == "." and not body.startswith(".."):
        return _dot_ends(before, first, following)
    if first and first[0].islower():
        return body[0] in "!?" and body[-1] in "!?" and first in _LOW_OPENERS
    return True


def _dot_ends(before: str, first: str, following: str) -> bool:
    found = _LAST_WORD.search(before)
    last = found[0] if found else ""
    low = last.lower()
    if len(before) <= 3 and before.isdigit():
        return False  # the number of a list item
    if low in _TITLES:
        return False
    if low in _NUMBERED and following[0].isdigit():
        return False
    if _goes_on_spaced(before, following):
        return False
    if last.isdigit() and len(last) <= 2 and first.lower() in _MONTHS:
        return False  # the day of a date
    opens = first.lower() in OPENING_WORDS and (first[0].isupper() or len(first) == 1)
    if low in _EITHER or ("." in last and len(last) <= 8):
        return opens
    if len(last) == 1 and last.isupper():
        return opens and not before[: -len(last)].rstrip().endswith(".")
    if first and first[0].islower():
        odd = re.match(r"[\w]*[._(\d][\w.()]*|[a-z]+[A-Z]", following)
        ordinary = len(last) >= 4 and last.isalpha()
        return (odd is not None and odd.end() > len(first)) or (ordinary and first in _LOW_OPENERS)
    return True


def _goes_on_spaced(before: str, following: str) -> bool:
    """Whether the stop after ``before`` stands in or after an abbreviation such as ``z. B.``."""
    found = _ENDS_SPACED.search(before)
    if found is None:
        return False
    said = re.sub(r"[.\s]+", " ", found[0]).lower()
    then = re.match(r"[^\W\d_]{1,3}\.", following)
    return any(
        _ends_with(said, short) or (then is not None and _begins(said, then[0][:-1].lower(), short))
        for short in _SPACED
    )


def _ends_with(said: str, short: str) -> bool:
    return said == short or said.endswith(f" {short}")


def _begins(said: str, then: str, short: str) -> bool:
    """Whether the words said last, and the next one, are the first words of ``short``."""
    parts = short.split()
    words = [*said.split(), then]
    return any(words[-count:] == parts[:count] for count in range(2, len(parts) + 1))


def _is_caseless(char: str) -> bool:
    return bool(char) and char.isalpha() and char.lower() == char.upper()
