"""Surface forms made comparable: case, articles, legal suffixes, blocks and acronyms.

Latin text follows the rule that the resolver format fixed: letters outside a-z count as spaces. Two things
are added to it, since that rule alone makes names vanish or merge. Letters of other scripts stay; and
``own_form`` keeps every letter, so that two names which differ only in what the rule drops stay apart.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_OUTSIDE = re.compile(r"[^a-z0-9 ]+")
_SUFFIXES = ("inc", "llc", "ltd", "corp", "corporation", "co", "gmbh", "plc")
_ARTICLES = ("the", "a", "an", "our", "their", "its")
_DROPPED = frozenset(_SUFFIXES + _ARTICLES)
_BLOCK = 4
_WIDE = frozenset(map(chr, range(0xFF01, 0xFF5F)))  # ASCII as it is written among East Asian signs


@lru_cache(maxsize=1 << 16)
def normalise(text: str) -> str:
    """The form under which a name is looked up; empty when nothing of it can tell it from another.

    A text of Latin letters, digits and signs gets the form of the resolver format, unless nothing would be
    left of it. Letters of other scripts are kept, with their marks, in Unicode's compatibility composition.
    """
    plain = _plain(text)
    if text.isascii():
        return plain
    if _has_other_script(text):
        return _own(text, latin=False)
    return plain or _own(text, latin=True)


@lru_cache(maxsize=1 << 16)
def own_form(text: str) -> str:
    """The form with every letter kept, of whatever script; equal to ``normalise`` for plain ASCII."""
    return _plain(text) if text.isascii() else _own(text, latin=True)


def tokens(normal: str) -> frozenset[str]:
    """The words of a normalised form."""
    return frozenset(normal.split())


def acronym(normal: str) -> str:
    """The initials of a normalised form of two or more words, else nothing."""
    words = normal.split()
    return "".join(word[0] for word in words) if len(words) >= 2 else ""


def block_keys(normal: str) -> tuple[str, ...]:
    """The blocks a name is filed under: the starts of its first word, last word, acronym and unspaced form."""
    words = normal.split()
    if not words:
        return ()
    keys = [words[0][:_BLOCK], words[-1][:_BLOCK]]
    if len(words) >= 2:
        keys.append(acronym(normal)[:_BLOCK])
    if len(normal) >= _BLOCK:
        keys.append(normal.replace(" ", "")[:_BLOCK])
    return tuple(dict.fromkeys(keys))


def _plain(text: str) -> str:
    return _kept(_OUTSIDE.sub(" ", text.lower()))


def _own(text: str, *, latin: bool) -> str:
    composed = unicodedata.normalize("NFKC", text.lower())
    return _kept("".join(char if _stays(char, latin) else " " for char in composed))


def _kept(spaced: str) -> str:
    return " ".join(word for word in spaced.split() if word not in _DROPPED)


def _stays(char: str, latin: bool) -> bool:
    if char.isascii():
        return char.isalnum()
    category = unicodedata.category(char)
    if category[0] not in "LNM":
        return False
    return latin or not _is_latin(char)


def _has_other_script(text: str) -> bool:
    return any(not char.isascii() and (char in _WIDE or _stays(char, latin=False)) for char in text.lower())


@lru_cache(maxsize=1 << 12)
def _is_latin(char: str) -> bool:
    """Latin letters, and the marks and signs that are written with them, by their Unicode names."""
    return unicodedata.name(char, "").startswith(("LATIN", "COMBINING", "MODIFIER LETTER", "SUPERSCRIPT", "SUBSCRIPT"))
