"""Fourteen sources about rebuilding a vector index at scale: plans, measurements, an incident, its aftermath."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """One source: its id, title, the day it was written (ISO), and its prose."""

    id: str
    title: str
    date: str
    text: str


SOURCES: tuple[Text, ...] = (
    Text(
        "source:charter",
        "Charter for the Lantern rebuild",
        "2024-09-02",
        """\
Lantern is the search product of the Harbor Archive, and its vector index answers forty million queries a day.
The present index was sized for ninety million passages, and it now holds three hundred and ten million.
The rebuild is expected to carry Lantern to one billion passages without a change of architecture.
The Harbor Archive set a recall target of 0.95 at ten results for the rebuilt index.

The rebuild must not take Lantern offline for more than five minutes in total.
The search team owns the rebuild, and the finance team owns the budget.
The charter leaves the ranking model untouched, because changing two things at once would hide which of them
moved recall. The rebuild is finished when the old index has served no query for thirty days.
""",
    ),
    Text(
        "source:capacity-plan",
        "Capacity plan for the rebuild",
        "2024-09-16",
        """\
The capacity plan assumes that shard count grows linearly with corpus size.
Each shard of the index holds eight million passages, so one billion passages need one hundred and twenty-five shards.
A shard occupies 31 gigabytes of memory while it serves queries.
The Index Builder needs a second copy of every shard that it is merging, so a merge takes twice the memory of the
shards it holds open.

The capacity plan gives the Index Builder 512 gigabytes, which is room for eight open shards.
Serving nodes are rented by the month, and builder nodes are rented by the hour.
Headroom of one fifth is kept on every serving node for spikes in traffic.
""",
    ),
    Text(
        "source:sharding-note",
        "Design note on sharding",
        "2024-09-30",
        """\
The sharding rule opens a new shard whenever the newest shard reaches eight million passages.
Counting passages was chosen over measuring load, because the count is known before a passage is written.
The Shard Map records which passages live in which shard, and the Query Router reads it on every request.

The sharding rule places the passages of one tenant in as few shards as possible, so that its queries touch few shards.
A query that touches more than twelve shards misses the latency budget of 80 milliseconds.
Moving a passage between shards takes a write to the Shard Map and a delete that is applied at the next merge.
""",
    ),
    Text(
        "source:embedding-review",
        "Review of embedding models",
        "2024-10-14",
        """\
Ferrule-384 was trained in 2021 and had never seen the scanned manuscripts that make up a third of the archive.
Ferrule-768 raised recall on scanned manuscripts from 0.81 to 0.93 in a blind comparison.
Ferrule-768 doubles the width of each vector, and so it doubles the memory of every shard.
Vectors from the two models cannot be compared, so the whole corpus has to be embedded again.

The Embedding Service embeds 5,200 passages a second on the rented accelerators.
At that rate the corpus of three hundred and ten million passages takes seventeen hours of pure compute.
The licence of Ferrule-768 allows use inside the archive and forbids resale.
The review rejected a third model, Osprey, because its vendor would not promise stable weights.
""",
    ),
    Text(
        "source:backfill-runbook",
        "Runbook for the backfill",
        "2024-11-04",
        """\
The Backfill Queue feeds old passages to the Embedding Service in batches of two thousand.
Each batch carries a checkpoint, so that a crashed backfill resumes from the last batch it finished.
A batch that fails three times is moved to the Quarantine Shelf and reported to the engineer on call.
Running the backfill twice is harmless, because a passage is written under the digest of its text.

The backfill yields to live traffic: it halves its rate whenever query latency passes 60 milliseconds.
New passages are written to both indexes during the backfill, and this dual write is what makes a rollback possible.
The backfill is complete when the Shard Map and the catalogue of the Harbor Archive report the same number of passages.
""",
    ),
    Text(
        "source:compression-trial",
        "Report on the compression trial",
        "2024-11-18",
        """\
Product quantisation shrank a shard of Ferrule-768 vectors from 62 gigabytes to 11 gigabytes.
Product quantisation costs less than one point of recall.
The trial used five hundred queries, none of them longer than twelve words.
Scalar quantisation halved the memory of a shard and left recall unchanged.

Training the codebook took four hours on one builder node, and it must be repeated when the embedding model changes.
Decoding compressed vectors added six milliseconds to the median query.
""",
    ),
    Text(
        "source:incident-log",
        "Log of incident 47",
        "2024-11-26",
        """\
At 02:14 the Index Builder was killed by the kernel while it merged shards 31 to 44.
The Index Builder had fourteen shards open, although the capacity plan allowed for eight.
Memory on the builder node stood at 509 gigabytes one minute before the kill.
The Query Router kept serving from the old index during incident 47, and no user saw an error.

The engineer on call stopped the Backfill Queue at 02:31.
A second start at 04:05 failed in the same way after nineteen minutes.
The Shard Map listed 61 shards that morning, where the capacity plan had foreseen 44.
Incident 47 was closed at 11:50, when the build was paused for review.
""",
    ),
    Text(
        "source:tenant-survey",
        "Survey of tenant growth",
        "2024-11-29",
        """\
Three of the 2,140 tenants hold 61 per cent of all passages.
The largest tenant, the Maritime Museum, grew from nine million to thirty-four million passages in October.
The median tenant holds eleven thousand passages and has not grown for a year.
Tenants that digitise in campaigns add passages in bursts of a few days.

The survey counted 61 shards for 352 million passages, seventeen more than a straight line predicts.
Small tenants share shards without harm, because their queries rarely coincide.
""",
    ),
    Text(
        "source:postmortem",
        "Postmortem of incident 47",
        "2024-12-02",
        """\
The Index Builder ran out of memory because the sharding rule opened fourteen shards at once.
Three tenants doubled their passages within a week, and each of them opened shards of its own.
The sharding rule was wrong because shard count follows the largest tenants, not the size of the corpus.
The alarm on builder memory was set at 95 per cent, and it fired ninety seconds before the kill.

Nothing was lost in incident 47, because a merge writes to a new file and renames it only when it is complete.
The review found no defect in the code of the Index Builder.
The postmortem recommends that the Index Builder refuse to open more shards than its memory allows.
""",
    ),
    Text(
        "source:on-call-interview",
        "Interview with the engineer on call",
        "2024-12-05",
        """\
The engineer on call first suspected a leak in the Merge Buffer and found none.
The engineer on call had no runbook for a builder that dies in the middle of a merge.
The pager message named the node and left out the shards that it was merging.
The engineer on call stopped the Backfill Queue, because a growing queue would have opened still more shards.

The engineer on call asked for a dry run that prints how many shards a merge will open.
The handover notes of the day shift mentioned the burst from the Maritime Museum and gave no number.
""",
    ),
    Text(
        "source:recall-report",
        "Report on measured recall",
        "2024-12-09",
        """\
The Recall Probe replays two thousand judged queries every hour and compares the results with an exhaustive search.
Recall at ten rose from 0.88 on the old index to 0.96 on the rebuilt index.
Queries in Portuguese gained most, because the old model had been trained on English alone.
Product quantisation cost four points of recall on queries longer than twenty words.

Raising the search width from 64 to 96 candidates recovered one point of recall and cost nine milliseconds.
The Recall Probe does not judge queries that return fewer than ten results.
Recall varied by less than half a point between shards, so no shard was built badly.
""",
    ),
    Text(
        "source:cost-review",
        "Review of costs in the fourth quarter",
        "2025-01-13",
        """\
The rebuild spent 184,000 euros in the fourth quarter against a budget of 150,000 euros.
Builder nodes caused most of the overrun, because the build was started three times.
Serving memory is the largest standing cost, at 41,000 euros a month.
The Cold Tier keeps passages that no query has returned for ninety days, and it costs a seventh of serving memory.

Moving sixty million passages to the Cold Tier saves 9,000 euros a month.
Accelerators for the Embedding Service were cheaper than planned, since the backfill ran mostly at night.
The finance team asked that every further rebuild state its cost before it starts.
""",
    ),
    Text(
        "source:cut-over-plan",
        "Plan for the cut-over",
        "2025-01-20",
        """\
The cut-over moves one tenth of the queries to the rebuilt index each day for ten days.
The Query Router compares answers from both indexes on one query in a hundred during the cut-over.
The cut-over is rolled back when the Recall Probe reports less than 0.94 for two hours in a row.
A rollback takes under a minute, because the Query Router only has to change one flag.

The old index is kept for thirty days after the last query has moved.
Tenants with a contract for exact search stay on the old index until spring.
""",
    ),
    Text(
        "source:retrospective",
        "Retrospective of the rebuild",
        "2025-02-17",
        """\
The cut-over finished on 11 February with three minutes of downtime in total.
Sharding by measured load brought the rebuilt index to 74 shards of nearly equal traffic.
The Index Builder now waits when eight shards are open.
Rebuilding in place would have been cheaper, and it would have left no way back.

The dual write was the practice that the team would keep above all others.
The Maritime Museum now announces its digitisation campaigns two weeks ahead.
Recall has stayed at 0.96 since the cut-over.
The next rebuild should start from a load forecast for each tenant.
""",
    ),
)
