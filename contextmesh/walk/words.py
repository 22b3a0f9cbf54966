"""Text to terms: folded, stemmed, without function words; scripts that do not part words give pairs of characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache

from contextmesh.walk.irregular import VERB_OF

# Function words, question words and the lightest verbs: they say how a thing is asked, not what about.
_FUNCTION_TEXT = """
a about also although am an and any are as at be because been being both but by came can cannot come comes could did
do does done down during each for from get gets getting give go goes going gone got had happen happened happens has
have he her here hers him his how i if in into is it its itself just least less made make makes many may me might
more most much must my no nor not of off on one or our ours out over own shall she should show since so some such
take taken takes tell than that the their theirs them then there these they this those through to too took up us was
we went were what when where whether which while who whom whose why will with within without would yes you your
"""
FUNCTION_WORDS = frozenset(_FUNCTION_TEXT.split())

# Vowel signs and accents that Unicode counts as marks, not letters: without them Hindi or Thai words fall apart.
_SIGNS = (
    "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u0900-\u0963\u0966-\u0dff"
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ebc\u0ec8-\u0ecd\u102b-\u103e\u17b4-\u17d3"
)
LETTER = rf"(?:[^\W_]|[{_SIGNS}])"
# Runs of letters and digits; a number keeps its inner points, commas and colons; a possessive 's is dropped.
_WORD = re.compile(rf"\d+(?:[.,:]\d+)+|(?<![^\W_]['’]){LETTER}+(?:['’](?!s\b){LETTER}+)*")
# The same for a text of ASCII letters in lower case, where it need not look at every letter apart.
_ASCII_WORD = re.compile(r"\d+(?:[.,:]\d+)+|(?<![a-z0-9]')[a-z0-9]+(?:'(?!s\b)[a-z0-9]+)*", re.ASCII)
_MARKS = re.compile("[\u0300-\u036f]")
_ENGLISH = re.compile(r"[a-z]{3,40}")

# Scripts written without spaces between words: Thai, Lao, Myanmar, Khmer, kana, Han; and Hangul, whose particles cling.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f]+"
)
# Question words of such scripts: what, who, when, where, why, how many.
_QUESTION_TEXT = "何 誰 何時 何処 何人 何故 什么 什麼 谁 哪里 哪裡 哪 怎么 怎麼 为什 為什 多少 几 幾"
_UNSPACED_QUESTIONS = frozenset(_QUESTION_TEXT.split())
_HIRAGANA = re.compile("[\u3040-\u309f]+")


MOST_KEPT = 1 << 17


def fold(text: str) -> str:
    """Lower case, compatibility forms unified, accents of Latin, Greek and Cyrillic letters dropped."""
    if text.isascii():
        return text.lower()
    apart = _MARKS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFKC", apart).lower()


def raw_words(text: str) -> list[str]:
    """The folded words of a text in order, function words included, unstemmed."""
    return _ASCII_WORD.findall(text.lower()) if text.isascii() else _WORD.findall(fold(text))


@dataclass(frozen=True, slots=True)
class Word:
    """A folded word of a text and where it stands in that text (half-open character offsets)."""

    text: str
    start: int
    end: int


def placed_words(text: str) -> list[Word]:
    """As ``raw_words``, with places; a whole number loses its leading zeros, as in names of records."""
    return [Word(_plain(fold(m.group())), *m.span()) for m in _WORD.finditer(text)]


def has_unspaced(text: str) -> bool:
    """Whether a text holds letters of a script that does not part words."""
    return not text.isascii() and _UNSPACED.search(text) is not None


def terms(text: str) -> list[str]:
    """The terms of a text in order, repeats kept: what is indexed and what a question asks with."""
    if text.isascii():
        return [term for word in _ASCII_WORD.findall(text.lower()) if (term := _TERMS[word])]
    found: list[str] = []
    for word in raw_words(text):
        if word.isascii():
            if term := _TERMS[word]:
                found.append(term)
        elif has_unspaced(word):
            found.extend(_pairs(word))
        elif word not in FUNCTION_WORDS:
            found.append(word)
    return found


class _Terms(dict[str, str]):
    """The stem of each word met so far, or nothing for a function word; all are let go of when they are many."""

    def __missing__(self, word: str) -> str:
        if len(self) >= MOST_KEPT:
            self.clear()
        term = self[word] = "" if word in FUNCTION_WORDS else stem(word)
        return term


_TERMS = _Terms()


@lru_cache(maxsize=1 << 15)
def stem(word: str) -> str:
    """The Snowball stem of an English word (Porter 2), irregular past forms led back first; other words as they are."""
    return _stemmer()(VERB_OF.get(word, word)) if _ENGLISH.fullmatch(word) else word


@cache
def _stemmer() -> Callable[[str], str]:
    """Snowball compiled, fifty times as fast; where it cannot be had, its port to Python, with the same stems."""
    step: Callable[[str], str]
    try:
        import Stemmer  # type: ignore[import-untyped,import-not-found,unused-ignore]

        step = Stemmer.Stemmer("english", 0).stemWord  # what is kept is kept here
    except ImportError:
        import snowballstemmer  # type: ignore[import-untyped,unused-ignore]

        step = snowballstemmer.stemmer("english").stemWord
    return step


@lru_cache(maxsize=1 << 16)
def name_key(label: str) -> str:
    """The form under which a name is looked up: its folded words with single spaces, a leading article dropped."""
    words = [_plain(word) for word in raw_words(label)]
    while len(words) > 1 and words[0] in {"the", "a", "an"}:
        words = words[1:]
    return " ".join(words)


def _plain(word: str) -> str:
    return word.lstrip("0") or "0" if word.isdecimal() else word


def trigrams(word: str) -> frozenset[str]:
    """The character trigrams of a word with its ends marked."""
    padded = f"^{word}$"
    return frozenset(padded[i : i + 3] for i in range(len(padded) - 2))


def _pairs(word: str) -> list[str]:
    found: list[str] = []
    at = 0
    for run in _UNSPACED.finditer(word):
        if run.start() > at:
            found.append(word[at : run.start()])
        # Beside other letters, hiragana spell endings and particles.
        parts = [part for part in _HIRAGANA.split(run.group()) if part] or [run.group()]
        pairs = [part[i : i + 2] for part in parts for i in range(max(1, len(part) - 1))]
        found.extend(pair for pair in pairs if pair not in _UNSPACED_QUESTIONS)
        at = run.end()
    if at < len(word):
        found.append(word[at:])
    return found
