"""Corruption: every field of every file bent in every way, and the product asked to read it.

``python -m bench.mutants --mutants 5000`` makes real sessions of every version and files of every kind, bends one
place of one file at a time, and reads what came of it: with the digests as they were, and with digests made to fit.
Each mutant must be refused with a code and a place, or be read as what it says; nothing else is raised, nothing hangs,
no memory is taken for a number alone, and no reading changes a file. ``--only NAME`` repeats one mutant.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from bench.mutants_cli import COMMANDS, commanded
from bench.mutants_outside import outside
from bench.mutants_plan import count_of, in_order, named
from bench.mutants_subjects import Subject, session_subject
from bench.mutants_try import Mutant, Outcome, attempt, clear
from bench.mutants_world import SESSIONS, sessions

VERDICTS = ("refused", "equal", "earlier", "another", "finding")
Tried = list[tuple[Mutant, Outcome]]


def subjects_in(place: Path, only: Collection[str] = SESSIONS) -> dict[str, Subject]:
    """Everything that is bent, made anew; of the sessions only those that are wanted."""
    homes = sessions(place, only)
    made = [session_subject(name, homes[name]) for name in only]
    return {subject.name: subject for subject in [*made, *outside(place, homes)]}


def tried(subjects: Mapping[str, Subject], mutants: Iterable[Mutant], work: Path, seed: int) -> Tried:
    """Each of them read in turn; a finding is told at once on stderr."""
    found: Tried = []
    for mutant in mutants:
        outcome = attempt(subjects[mutant.subject], mutant, work, seed)
        if outcome.verdict == "finding":
            print(f"{mutant.name}: {outcome.words}", file=sys.stderr, flush=True)
        if outcome.verdict != "unfit":
            found.append((mutant, outcome))
    clear(work)
    return found


def taken(subjects: Mapping[str, Subject], count: int, work: Path, seed: int) -> Tried:
    """So many mutants that there are, in the order of ``in_order``."""
    found: Tried = []
    mutants = in_order(subjects.values(), seed)
    while len(found) < count:
        found += tried(subjects, islice(mutants, count - len(found)), work, seed)
    return found


def table(found: Tried) -> str:
    """File and family of ways against what came of them."""
    rows: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for mutant, outcome in found:
        rows[f"{mutant.subject} {mutant.kind}", mutant.family][outcome.verdict] += 1
    wide = max((len(name) for name, _ in rows), default=0)
    head = f"{'file':<{wide}} {'ways':<8} {'mutants':>7} " + " ".join(f"{verdict:>8}" for verdict in VERDICTS)
    lines = [head]
    for (name, family), counts in sorted(rows.items()):
        numbers = " ".join(f"{counts[verdict] or '':>8}" for verdict in VERDICTS)
        lines.append(f"{name:<{wide}} {family:<8} {sum(counts.values()):>7} {numbers}")
    total = Counter(outcome.verdict for _, outcome in found)
    numbers = " ".join(f"{total[verdict]:>8}" for verdict in VERDICTS)
    return "\n".join([*lines, f"{'all':<{wide}} {'':<8} {len(found):>7} {numbers}"])


def findings(found: Tried) -> list[tuple[Mutant, Outcome]]:
    return [(mutant, outcome) for mutant, outcome in found if outcome.verdict == "finding"]


def codes(found: Tried) -> Counter[str]:
    """How many were refused by each code."""
    return Counter(outcome.words for _, outcome in found if outcome.verdict == "refused")


def as_json(found: Tried, commands: Tried, seed: int) -> dict[str, Any]:
    """The whole result for a machine."""
    return {
        "seed": seed,
        "mutants": len(found),
        "verdicts": dict(Counter(outcome.verdict for _, outcome in found)),
        "codes": dict(codes(found).most_common()),
        "files": len({(mutant.subject, mutant.kind) for mutant, _ in found}),
        "fields": len({(mutant.subject, mutant.kind, mutant.shape) for mutant, _ in found}),
        "commands": len(commands),
        "findings": [{"mutant": m.name, "words": o.words} for m, o in [*findings(found), *findings(commands)]],
    }


def _tell(found: Tried, commands: Tried, whole: int, seed: int) -> None:
    print(table(found))
    told = codes(found)
    fields = len({(mutant.subject, mutant.kind, mutant.shape) for mutant, _ in found})
    print(f"\n{len(told)} codes: " + ", ".join(f"{code} {count}" for code, count in told.most_common()))
    print(f"{len(found)} mutants of {fields} fields; {whole} are made before a field is bent a second time")
    print(f"{len(commands)} mutants given to {', '.join(words[0] for words in COMMANDS.values())}")
    wrong = [*findings(found), *findings(commands)]
    print(f"{len(wrong)} findings")
    for mutant, outcome in wrong:
        print(f"  {outcome.words}\n    python -m bench.mutants --seed {seed} --only '{mutant.name}'")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutants", type=int, default=5000)
    parser.add_argument("--commands", type=int, default=200, help="mutants that are also given to the command line")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", metavar="NAME", help="one mutant, and where it lies afterwards")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    os.environ["CONTEXTMESH_CACHE"] = ""
    with tempfile.TemporaryDirectory(prefix="contextmesh-mutants-") as folder:
        place = Path(folder)
        subjects = subjects_in(place / "made")
        if given.only:
            mutant = named(given.only)
            print(attempt(subjects[mutant.subject], mutant, place / "work", given.seed))
            kept = Path(tempfile.mkdtemp(prefix="contextmesh-mutant-"))
            shutil.copytree(place / "work", kept / "work", symlinks=True, ignore_dangling_symlinks=True)
            print(kept / "work")
            return
        found = taken(subjects, given.mutants, place / "work", given.seed)
        commands = commanded(subjects, given.commands, place / "work", given.seed)
        if given.json:
            print(json.dumps(as_json(found, commands, given.seed), indent=2))
        else:
            _tell(found, commands, count_of(subjects), given.seed)


if __name__ == "__main__":
    main()
