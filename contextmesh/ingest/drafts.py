"""CHUNK and EXTRACT: a document becomes drafts of claims, each with its place, its quote and the names it holds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from contextmesh.ingest.documents import Document, RecordHeader
from contextmesh.ingest.extract import Sentence, is_english, sentences_of, why_not
from contextmesh.ingest.headers import header_claims
from contextmesh.ingest.layout import Layout
from contextmesh.ingest.layouts import layout_of
from contextmesh.ingest.names import Name, TextNames, names_of, survey
from contextmesh.ingest.scripts import repeated_han
from contextmesh.ingest.terms import repeated_terms

EXTRACTOR = "assertive-span"
CHECKS = ("assertive", "span-bounded")
HEADER_EXTRACTOR = "decision-record"
HEADER_CHECKS = ("header-stated", "span-bounded")
SHORT_TEXT = 15
"""Up to this many sentences a text is taken to be about its title throughout."""

_ANAPHOR = re.compile(r"^[\"'(“]*(?:He|She|It|They|His|Her|Its|Their|This|These|I|We|My|Our|You|Your|The(?= [a-z]))\b")
_RECORD = "PEP|proposal|document|ADR|decision|record|RFC|report"
_OWN = re.compile(rf"^[\"'(“]*(?:The|Our) (?:present )?(?:{_RECORD})\b|\b[Tt]his (?:\w+ )?(?:{_RECORD})\b")
_OUTCOME = re.compile(r"^(?:decision(?: outcome)?|outcome|resolution|conclusion|decided|chosen option)$", re.IGNORECASE)
_SUMMARY = re.compile(r"^(?:abstract|summary|introduction|overview|rationale|motivation|context.*)$", re.IGNORECASE)
_LONGEST_RATIONALE = 600
_OUTCOME_CLAIMS = 2


@dataclass(frozen=True, slots=True)
class Draft:
    """A claim to be.

    Attributes:
        label: the sentence, white space single, without mark-up.
        span: its place in the document's text; ``quote`` is what stands there.
        leans: it speaks of something its document names elsewhere (it, he, this …).
        about: it is about the document's subject, whether or not it says so.
        key: it is what the document's decision stands on.
        sentence: where it was found; None when it is made from a header.
        mentions: names it surely holds.
    """

    label: str
    span: tuple[int, int]
    quote: str
    leans: bool = False
    about: bool = False
    key: bool = False
    sentence: Sentence | None = None
    mentions: tuple[str, ...] = ()


@dataclass(slots=True)
class Drafts:
    """What one document says.

    Attributes:
        claims: in the order of the text, no two of one label.
        sentences: how many were looked at; ``dropped``: why some are no claims.
        rationale: why the document's decision was taken, in its words; "" when it records none.
    """

    document: Document
    claims: list[Draft]
    sentences: int
    dropped: dict[str, int] = field(default_factory=dict)
    rationale: str = ""
    _seen: TextNames = field(default_factory=TextNames)
    _known: tuple[str, ...] = ()

    def names(self, draft: Draft) -> tuple[Name, ...]:
        """The names of one draft, in order."""
        if draft.sentence is None:
            return tuple(Name(name, 0, 0, "declared") for name in draft.mentions)
        return names_of(draft.sentence, self._seen, self._known)

    @property
    def short_forms(self) -> dict[str, str]:
        """Acronyms the text explains, with their long forms."""
        return self._seen.short


def draft(document: Document) -> Drafts:
    """Everything a document asserts."""
    layout = layout_of(document)
    sentences = list(sentences_of(layout))
    english = is_english(layout)
    out = Drafts(document, [], len(sentences))
    kept: list[Sentence] = []
    for sentence in sentences:
        reason = "header" if _in_header(sentence, document.record) else why_not(sentence, english=english)
        if reason is None:
            kept.append(sentence)
        else:
            out.dropped[reason] = out.dropped.get(reason, 0) + 1
    out._seen = survey(sentences)
    out._known = _known(document, kept, out._seen)
    outcome = _outcome(layout)
    short = len(kept) <= SHORT_TEXT
    written = [_drafted(document, sentence, outcome, short=short) for sentence in kept]
    for late in [claim for claim in written if claim.key][_OUTCOME_CLAIMS:]:
        written[written.index(late)] = replace(late, key=False)
    out.claims = list(_distinct([*_headed(document), *written], out))
    if document.record is not None:
        out.rationale = document.record.rationale or _rationale(layout) or document.record.label
    return out


def _headed(document: Document) -> Iterator[Draft]:
    if document.record is None:
        return
    for made in header_claims(document.record):
        quote = document.text[made.span[0] : made.span[1]]
        yield Draft(made.words, made.span, quote, about=True, key=True, mentions=made.names)


def _drafted(document: Document, sentence: Sentence, outcome: tuple[int, int], *, short: bool) -> Draft:
    words, span = sentence.words, sentence.span
    leans = _ANAPHOR.match(words) is not None
    record = document.record is not None
    own = record and _OWN.search(words) is not None
    key = record and outcome[0] <= span[0] < outcome[1]
    about = own or key or (not record and short)
    return Draft(words, span, document.text[span[0] : span[1]], leans, about, key, sentence)


def _distinct(claims: Sequence[Draft], out: Drafts) -> Iterator[Draft]:
    seen: dict[str, None] = {}
    for claim in claims:
        if claim.label in seen:
            out.dropped["repeated"] = out.dropped.get("repeated", 0) + 1
            continue
        seen[claim.label] = None
        yield claim


def _in_header(sentence: Sentence, record: RecordHeader | None) -> bool:
    if record is None or not record.fields:
        return False
    start = sentence.span[0]
    return any(field.span[0] <= start < field.span[1] for field in record.fields)


def _known(document: Document, kept: Sequence[Sentence], seen: TextNames) -> tuple[str, ...]:
    """Names to be found as they stand: declared ones, the title, what the text keeps using; longer ones first."""
    texts = [sentence.words for sentence in kept]
    names = [*document.entities, *seen.short.values(), *repeated_terms(kept), *repeated_han(texts)]
    if document.kind == "jsonl" and 1 < len(document.title) <= 80:
        names.extend(title_forms(document.title))
    return tuple(sorted(dict.fromkeys(name for name in names if len(name) > 1), key=lambda name: (-len(name), name)))


def title_forms(title: str) -> tuple[str, ...]:
    """A title, and without what tells it from others: ``Twins (film)`` also gives ``Twins``."""
    bare = re.sub(r"\s*\([^()]*\)$", "", title).strip()
    return tuple(dict.fromkeys((title, bare))) if bare else (title,)


def _outcome(layout: Layout) -> tuple[int, int]:
    """The range of the first claims under the heading that tells what was decided."""
    for heading in layout.headings:
        if _OUTCOME.match(heading.words.strip(" :.")):
            flows = layout.under(heading)[:_OUTCOME_CLAIMS]
            if flows:
                return flows[0].span(0, 1)[0], flows[-1].span(0, len(flows[-1].plain))[1]
    return 0, 0


def _rationale(layout: Layout) -> str:
    for wanted in (_OUTCOME, _SUMMARY):
        for heading in layout.headings:
            if wanted.match(heading.words.strip(" :.")):
                words = " ".join(flow.plain for flow in layout.under(heading))
                if words:
                    return _cut(words)
    return _cut(next((flow.plain for flow in layout.flows if len(flow.plain) > 40), ""))


def _cut(words: str) -> str:
    if len(words) <= _LONGEST_RATIONALE:
        return words
    return words[:_LONGEST_RATIONALE].rsplit(" ", 1)[0] + " …"
