"""What a text names: capitalised names, acronyms, identifiers, quoted titles, terms it keeps using. No model, no guess
about kinds; what only opens a sentence is no name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from contextmesh.ingest.extract import Sentence
from contextmesh.ingest.flow import ITEM
from contextmesh.ingest.scripts import has_cjk, other_script_names
from contextmesh.ingest.words import (
    CALENDAR,
    COMMON,
    DEMONYMS,
    FINITE,
    FUNCTION,
    PARTS,
    SAMPLE_NAMES,
    SHOUTED,
    TITLES,
    VERBS,
    word_set,
)

_TOKEN = re.compile(r"__\w+__|[^\W_]+(?:[._'’+&/-][^\W_]+)*(?:\(\)|\+\+|#(?!\w))?|_[^\W_]+(?:_[^\W_]+)*")
_GAP = re.compile(r"[ ]|, (?=Jr\.|Sr\.|Inc\.)|\. (?=[^\W\d_])|\.(?=[^\W\d_])")
_INITIAL = re.compile(r"[^\W\d_]$")
_IDENTIFIER = re.compile(r"\w*[a-z0-9][A-Z]\w*|\w+_\w[\w]*|_\w[\w]*|\w+(?:\.\w+)+|\w+\(\)")
_VERSION = re.compile(r"v?\d+(?:\.\d+)+\w{0,4}|v?\d+")
_QUOTED = re.compile(r"[“\"«]([^“”\"«»]{2,60})[”\"»]|[‘]([^‘’]{2,60})[’]")
_LONG_FORM = re.compile(r"\((?P<short>[^\W\d_][\w.&-]{1,9}?)s?\)")
_LINKERS = word_set(
    """
    of de van von der den la le du di da del della dos al bin ibn y
    """
)
_OFTEN = 5  # a plain word set as code is a name only where the text keeps using it
_OPENING_ENDS = ("ly", "ing", "ed")
_NEVER_LAST = _LINKERS | {"the", "for"}
_LONGEST_NAME = 8
_LONG_FORM_REACH = 160
_LONGEST_LETTERS = 80
_SUFFIXES = word_set(
    """
    inc jr sr ltd co corp llc plc gmbh
    """
)
_BODIES = word_set(
    """
    institute center centre society association organization organisation foundation council committee agency
    department ministry office museum academy fund campaign partnership school college union alliance network
    bureau court award
    """
)


@dataclass(frozen=True, slots=True)
class Name:
    """A name as one sentence has it.

    Attributes:
        text: the surface form.
        start, end: in the flow's plain words.
        kind: proper, acronym, code, quoted, term, script, or declared.
    """

    text: str
    start: int
    end: int
    kind: str


@dataclass(slots=True)
class TextNames:
    """What the names of one text are judged by.

    Attributes:
        lower: words the text also writes in lower case.
        inside: capitalised words seen inside a sentence, with how often.
        code: code terms with how often.
        quoted: quoted terms with how often.
        short: acronym to the long form the text gives it.
    """

    lower: set[str] = field(default_factory=set)
    inside: dict[str, int] = field(default_factory=dict)
    code: dict[str, int] = field(default_factory=dict)
    quoted: dict[str, int] = field(default_factory=dict)
    short: dict[str, str] = field(default_factory=dict)


_Tokens = list[tuple[str, int, int]]


def survey(sentences: Sequence[Sentence]) -> TextNames:
    """Read a whole text once, so that each sentence's names can be told from words that merely stand in front."""
    seen = TextNames()
    for sentence in sentences:
        text = sentence.words
        for at, (word, start, _) in enumerate(_tokens(text)):
            if word[0].islower():
                seen.lower.add(word)
            elif word[0].isupper() and at and not _opens(text, start):
                seen.inside[word] = seen.inside.get(word, 0) + 1
        for quoted in _quoted(text):
            seen.quoted[quoted[0]] = seen.quoted.get(quoted[0], 0) + 1
        for long, short in _long_forms(text):
            seen.short.setdefault(short, long)
        for mark in sentence.flow.marks:
            if mark.kind == "code" and sentence.start <= mark.start < sentence.end:
                term = _code_term(sentence.flow.plain[mark.start : mark.end])
                if term:
                    seen.code[term] = seen.code.get(term, 0) + 1
    return seen


def names_of(sentence: Sentence, seen: TextNames, known: Iterable[str] = ()) -> tuple[Name, ...]:
    """The names of one sentence, in order, none inside another.

    Args:
        seen: of the whole text.
        known: exact forms to be found as they are (declared names, repeated terms, the title).
    """
    text = sentence.words
    taken = bytearray(len(text))
    found: list[Name] = []

    def take(names: Iterator[tuple[str, int, int]], kind: str) -> None:
        for name, start, end in names:
            if not any(taken[start:end]):
                taken[start:end] = b"\x01" * (end - start)
                found.append(Name(name, sentence.start + start, sentence.start + end, kind))

    take(_known(text, known), "declared")
    take(_code(sentence, seen), "code")
    take(_quoted_names(text, seen), "quoted")
    take(_proper(text, seen, item=sentence.flow.role == ITEM), "proper")
    take(other_script_names(text), "script")
    return tuple(sorted(found, key=lambda name: name.start))


# -- parts ----------------------------------------------------------------------------------------


def _tokens(text: str) -> _Tokens:
    return [(match[0], match.start(), match.end()) for match in _TOKEN.finditer(text)]


def _opens(text: str, start: int) -> bool:
    """Whether a word stands where any word would be capitalised."""
    before = text[:start].rstrip(" \"'“‘«(*[")
    return not before or before[-1] in ".:;!?•–—-"


def _known(text: str, known: Iterable[str]) -> Iterator[tuple[str, int, int]]:
    low = text.lower()
    if len(low) != len(text):
        return
    for name in known:
        wanted = name.lower()
        at = low.find(wanted)
        while at >= 0:
            end = at + len(wanted)
            if not _letter(text, at - 1, wanted[0]) and not _letter(text, end, wanted[-1]):
                yield name, at, end
            at = low.find(wanted, end)


def _letter(text: str, at: int, beside: str) -> bool:
    """Whether a letter there would make the match a part of a longer word; scripts without spaces have none."""
    return 0 <= at < len(text) and (text[at].isalnum() or text[at] == "_") and beside.isascii() and text[at].isascii()


def _code(sentence: Sentence, seen: TextNames) -> Iterator[tuple[str, int, int]]:
    for mark in sentence.flow.marks:
        if mark.kind == "code" and sentence.start <= mark.start < sentence.end:
            term = _code_term(sentence.flow.plain[mark.start : mark.end])
            often = _OFTEN if _is_plain_word(term) else 2
            if term and (seen.code.get(term, 0) >= often or _IDENTIFIER.fullmatch(term)):
                yield term, mark.start - sentence.start, min(mark.end, sentence.end) - sentence.start


def _code_term(text: str) -> str:
    """A code span as a name, or "" when it is an expression, a sample or too short."""
    term = text.strip().removesuffix("()").rstrip(".,:;")
    plain = term.strip("_-.")
    if (
        not 3 <= len(plain) <= 40
        or plain.lower() in SAMPLE_NAMES
        or not re.fullmatch(r"@?[\w./-]*[^\W\d][\w./-]*", term)
    ):
        return ""
    return "" if plain.lower() in FUNCTION and term == plain else term


def _is_plain_word(term: str) -> bool:
    return term.isalpha() and term.islower() and (term in COMMON or term in VERBS)


def _quoted(text: str) -> Iterator[tuple[str, int, int]]:
    for match in _QUOTED.finditer(text):
        group = 1 if match[1] is not None else 2
        inner = match[group]
        stripped = inner.strip(" ,.;:[]")
        if len(stripped) < 2:
            continue
        if (
            re.search(r"[^\W\d_]", stripped)
            and len(stripped.split()) <= _LONGEST_NAME
            and not re.search(r"[.!?]\s|[{}<>=\\;|]", inner)
        ):
            start = match.start(group) + inner.index(stripped)
            yield stripped, start, start + len(stripped)


def _quoted_names(text: str, seen: TextNames) -> Iterator[tuple[str, int, int]]:
    for quoted, start, end in _quoted(text):
        words = quoted.split()
        capitals = sum(word[0].isupper() or word[0].isdigit() for word in words)
        titled = capitals * 2 >= len(words) and not (len(words) == 1 and quoted.lower() in COMMON)
        kept = seen.quoted.get(quoted, 0) >= 2 and not all(word.lower() in COMMON for word in words)
        if titled or kept:
            yield quoted, start, end


def _proper(text: str, seen: TextNames, *, item: bool) -> Iterator[tuple[str, int, int]]:
    tokens = _tokens(text)
    at = 0
    while at < len(tokens):
        if not _can_start(tokens[at][0]):
            at += 1
            continue
        last = _run_end(text, tokens, at)
        yield from _trimmed(text, tokens[at : last + 1], seen, item=item)
        at = last + 1


def _can_start(word: str) -> bool:
    if has_cjk(word):
        return False
    return word[0].isupper() or (_IDENTIFIER.fullmatch(word) is not None and not word[0].isdigit())


def _run_end(text: str, tokens: _Tokens, first: int) -> int:
    """The last token of a run of capitalised words, with small linking words and a number inside it."""
    last = at = first
    while at + 1 < len(tokens) and at - first < _LONGEST_NAME:
        gap = text[tokens[at][2] : tokens[at + 1][1]]
        word, following = tokens[at][0], tokens[at + 1][0]
        if tokens[at][0].endswith(("'s", "’s")):
            break
        if gap != " " and not (gap in (". ", ".") and (_INITIAL.match(word) or word.lower() in TITLES)):
            break
        if following.isupper() and following.lower() in SHOUTED:
            break
        if following[0].isupper():
            last = at + 1
        elif _VERSION.fullmatch(following) and last == at and _takes_number(word, following):
            return at + 1
        elif not (
            following in _LINKERS
            or (following == "the" and (word in _LINKERS or word == "for"))
            or (following == "for" and word.lower() in _BODIES)
        ):
            break
        at += 1
    return last


def _takes_number(word: str, number: str) -> bool:
    if word.lower() in PARTS or word.lower() in CALENDAR or word.lower() in COMMON:
        return False
    return len(number) <= 2 or "." in number or (word.isupper() and len(number) <= 5)


def _trimmed(text: str, run: _Tokens, seen: TextNames, *, item: bool) -> Iterator[tuple[str, int, int]]:
    """A run without the words that only stand in front of the name, if a name is left."""
    while run and _only_in_front(text, run, seen):
        run = run[1:]
    while run and run[-1][0] in _NEVER_LAST:
        run = run[:-1]
    if not run:
        return
    start, end = run[0][1], run[-1][2] - _tail(run[-1][0])
    name = text[start:end]
    words = [*(word for word, _, _ in run[:-1]), text[run[-1][1] : end]]
    if len(name) <= _LONGEST_LETTERS and _is_name(
        words, name, seen, opens=_opens(text, start), subject=not item and _is_subject(text, end)
    ):
        yield name, start, end


def _tail(word: str) -> int:
    """How many characters at the end of a name's last word are no part of the name."""
    if word.endswith(("'s", "’s", "()")):
        return 2
    if re.fullmatch(r"[A-Z][A-Z0-9]+s", word):
        return 1
    joined = re.fullmatch(r"[^\W\d_]{2,}(?:-[A-Z][^\W_]*)*(-[a-z]{4,})", word)
    return len(joined[1]) if joined is not None else 0


def _only_in_front(text: str, run: _Tokens, seen: TextNames) -> bool:
    word, start, _ = run[0]
    low = word.lower().removesuffix("'s").removesuffix("’s")
    if low in FUNCTION or low in _LINKERS or low == "i" or low.startswith(("i'", "i’")):
        return not (word.isupper() and len(word) > 1 and len(run) == 1)
    if len(run) > 1 and low in PARTS and len(run[1][0]) <= 2:
        return True
    if len(run) > 1 and low in CALENDAR | DEMONYMS and low != "may":
        return low in CALENDAR
    if len(run) > 1 and low in TITLES:
        return low in ("mr", "mrs", "ms", "dr", "prof", "sir")
    if not _opens(text, start):
        return False
    return (low in COMMON or low in seen.lower) and word[1:].islower() and seen.inside.get(word, 0) < 2


def _is_name(words: list[str], name: str, seen: TextNames, *, opens: bool, subject: bool) -> bool:
    if len(words) > 1:
        return not all(word.lower() in COMMON or word.lower() in SHOUTED for word in words) or not opens
    word = name
    low = word.lower()
    if len(word) < 2 or not any(char.isalpha() for char in word) or low in SAMPLE_NAMES:
        return False
    if low in CALENDAR or low in DEMONYMS or low in FUNCTION or low in PARTS or low in _SUFFIXES:
        return word.isupper() and 2 <= len(word) <= 5 and low not in SHOUTED and not opens
    if _IDENTIFIER.fullmatch(word):
        return len(word) >= 4 and not re.fullmatch(r"[a-z]\.[a-z](?:\.[a-z])*|\d.*", low)
    if word.isupper():
        return low not in SHOUTED and (low not in seen.lower or len(word) <= 4) and low not in COMMON
    if low in TITLES:
        return False
    if low in COMMON:
        return not opens and low not in seen.lower and seen.inside.get(word, 0) >= 2
    if opens:
        small = _is_written_small(low, seen) or low in VERBS or low.endswith(_OPENING_ENDS)
        return seen.inside.get(word, 0) > 0 or (subject and not small)
    return low not in seen.lower or seen.inside.get(word, 0) >= 2


def _is_subject(text: str, end: int) -> bool:
    """Whether a verb, a bracket or a possessive follows: what a name at the head of a sentence is followed by."""
    rest = text[end : end + 30]
    if rest.startswith((" (", "'s ", "’s ", ", ")):
        return True
    following = re.match(r" ([a-z']+)", rest)
    if following is None or text[:end].endswith("s"):
        return False
    word = following[1]
    return word in FINITE or (word in VERBS and word.endswith(("s", "ed")))


def _is_written_small(low: str, seen: TextNames) -> bool:
    return low in seen.lower or low + "s" in seen.lower or low.removesuffix("s") in seen.lower


def _long_forms(text: str) -> Iterator[tuple[str, str]]:
    """``(long form, acronym)`` where a text explains an acronym in brackets (after Schwartz and Hearst, 2003)."""
    for match in _LONG_FORM.finditer(text):
        short = match["short"]
        letters = [char for char in short.lower() if char.isalnum()]
        if not any(char.isupper() for char in short) or not 2 <= len(letters) <= 8:
            continue
        near = max(0, match.start() - _LONG_FORM_REACH)
        words = list(re.finditer(r"[^\W_]+", text[near : match.start()]))[-2 * len(letters) :]
        for first in range(len(words) - 1, -1, -1):
            tail = [word[0].lower() for word in words[first:]]
            content = [word for word in tail if word not in FUNCTION]
            if [word[0] for word in content] == letters or [word[0] for word in tail] == letters:
                yield text[near + words[first].start() : match.start()].strip(), short
                break
