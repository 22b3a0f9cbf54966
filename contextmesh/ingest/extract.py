"""A sentence becomes a claim only if it asserts something; otherwise there is one word for why not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from contextmesh.ingest.flow import BOILERPLATE, ITEM, TURN, Flow
from contextmesh.ingest.layout import Layout
from contextmesh.ingest.sentences import split_sentences
from contextmesh.ingest.words import FINITE, FUNCTION, VERBS, word_set

# What can be the whole subject of a sentence, and what follows a verb rather than a plural.
_SUBJECTS = word_set("he she it they we i you this that these those there nobody everybody everyone someone nothing")
_OBJECTS = word_set(
    """
    a an the this that these those his her its their our my your no all both each every some any one two three four
    as to in on for from with at by via into onto over under about around through together it him them us me up down
    """
)
LONGEST = 1200
SHORTEST_WORDS = 3
SHORTEST_LETTERS = 6

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_QUESTION = re.compile(r"[?？؟⁇]\W*$|(?:か|吗|嗎|呢)[。.]\W*$")
_LEAD_IN = re.compile(r"[:：]\s*$")
_STOP = re.compile(r"[.!。！…।॥۔።။](?:\[\d+\])*[\"'”’»)\]」』】》）*_]*$")
_SEE = re.compile(
    r"^\(?(?:please\s+)?(?:see|cf\.?|refer to|"
    r"for (?:more|further|additional|other) (?:information|details?|background|examples?|discussion)|"
    r"(?:more|further) (?:information|details?) (?:is|are|can)|click|read more|back to|note:?$)\b",
    re.IGNORECASE,
)
_BOILERPLATE = re.compile(
    r"placed in the public domain|all rights reserved|licen[sc]ed under|under the terms of|"
    r"copyright (?:\(c\)|©|\d{4})|^©|"
    r"table of contents|last (?:updated|modified|edited)\b.{0,40}$|edit this page|generated (?:by|from)|do not edit|"
    r"this (?:page|file|document) (?:was|is) (?:automatically )?generated|"
    r"cookie(?:s| policy)|subscribe to|page intentionally",
    re.IGNORECASE,
)
_URL = re.compile(r"\b(?:https?|ftp)://\S+|\bwww\.\S+")
_CODE = re.compile(r"[{}<>=|&;\\$#@^~]|::|\(\)|->|\b\w+\(\w*\)")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a flow: half-open range of its plain words."""

    flow: Flow
    start: int
    end: int

    @property
    def words(self) -> str:
        return self.flow.plain[self.start : self.end]

    @property
    def span(self) -> tuple[int, int]:
        return self.flow.span(self.start, self.end)


def sentences_of(layout: Layout) -> Iterator[Sentence]:
    """Every sentence of a layout, in order."""
    for flow in layout.flows:
        for start, end in split_sentences(flow.plain):
            yield Sentence(flow, start, end)


def is_english(layout: Layout) -> bool:
    """Whether the text is in English, as far as its small words tell; only then are verbs asked for."""
    total = small = 0
    for flow in layout.flows[:60]:
        words = [word.lower() for word in _WORD.findall(flow.plain[:2000])]
        total += len(words)
        small += sum(word in FUNCTION for word in words)
    return small * 8 >= total


def why_not(sentence: Sentence, *, english: bool) -> str | None:
    """None for an assertion; else one of boilerplate, question, too-long, too-short, lead-in, cross-reference, links,
    code and no-verb.
    """
    text, flow = sentence.words, sentence.flow
    if flow.role == BOILERPLATE or _BOILERPLATE.search(text):
        return "boilerplate"
    if _QUESTION.search(text):
        return "question"
    if len(text) > LONGEST:
        return "too-long"
    words = _WORD.findall(text)
    letters = sum(map(len, words))
    if len(words) < SHORTEST_WORDS and (letters < SHORTEST_LETTERS or not _UNSPACED.search(text)):
        return "too-short"
    if _LEAD_IN.search(text):
        return "lead-in"
    if _SEE.match(text):
        return "cross-reference"
    if _linked(sentence) * 10 > len(text) * 6 or sum(map(len, _URL.findall(text))) * 2 > len(text):
        return "links"
    if len(_CODE.findall(text)) * 2 > len(text.split()) + 1 or letters * 2 < len(text.replace(" ", "")):
        return "code"
    spaced = len(_UNSPACED.findall(text)) * 4 < letters
    if english and spaced and not _asserts(words, text, flow.role):
        return "no-verb"
    return None


def _linked(sentence: Sentence) -> int:
    """How many characters of a sentence are links (URLs written out are counted apart)."""
    return sum(
        min(mark.end, sentence.end) - max(mark.start, sentence.start)
        for mark in sentence.flow.marks
        if mark.kind == "link" and mark.start < sentence.end and mark.end > sentence.start
    )


def _asserts(words: list[str], text: str, role: str) -> bool:
    """Whether some word can be the verb of a statement: more is asked of what no full stop ends."""
    low = [word.lower().replace("’", "'") for word in words]
    if any(word in FINITE for word in low):
        return True
    stopped = _STOP.search(text) is not None
    if role == TURN and stopped:
        return True
    inner = low[1:] if len(low) > 4 else low
    if any(word in VERBS for word in (inner if not stopped else low)):
        return stopped or (role == ITEM and len(low) >= 5) or len(low) >= 7
    if not stopped or len(low) < 4:
        return False
    return low[0] in _SUBJECTS or any(_governs(words[at], low[at + 1]) for at in range(1, len(words) - 1))


def _governs(word: str, following: str) -> bool:
    """Whether a word looks like a verb of the third person or the past, by its ending and by what comes after it."""
    if word.endswith(("ed", "'s", "’s")):
        return True
    third = word.islower() and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return third and (following in _OBJECTS or following.endswith("ly"))
