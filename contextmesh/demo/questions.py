"""Twenty-four questions to the bundled corpus, each with the answer that a reader would pick."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Question:
    """A question and what is right.

    Attributes:
        text: as a user would type it.
        right: words that the answer's text holds, any one of them; empty for a dead end.
        dead_end: the one reason, or None when there is an answer.
    """

    text: str
    right: tuple[str, ...] = ()
    dead_end: str | None = None


QUESTIONS: tuple[Question, ...] = (
    Question("Why did the Index Builder run out of memory?", ("the sharding rule opened fourteen shards at once",)),
    Question("What made the sharding rule wrong?", ("shard count follows the largest tenants",)),
    Question("How much memory does the Index Builder get?", ("512 gigabytes",)),
    Question("Which decision replaced staying on Ferrule-384?", ("Adopt Ferrule-768",)),
    Question("Why does the corpus have to be embedded again?", ("Vectors from the two models cannot be compared",)),
    Question("What happens to a batch that fails three times?", ("Quarantine Shelf",)),
    Question("Which decision gave the builder node 512 gigabytes?", ("Rent one builder node of 512 gigabytes",)),
    Question("What recall did the rebuilt index reach?", ("to 0.96 on the rebuilt index",)),
    Question(
        "How many points of recall does product quantisation cost?",
        ("costs less than one point of recall", "cost four points of recall"),
    ),
    Question("When is the cut-over rolled back?", ("less than 0.94 for two hours",)),
    Question("Who owns the rebuild?", ("The search team owns the rebuild",)),
    Question("How large a share of the passages do the three biggest tenants hold?", ("61 per cent of all passages",)),
    Question("What does sharding by measured load depend on?", ("The load of a tenant can be forecast a day ahead",)),
    Question("What replaced sharding by passage count?", ("Sharding by measured load",)),
    Question("Why was Osprey rejected?", ("would not promise stable weights",)),
    Question("Did users see errors during incident 47?", ("no user saw an error",)),
    Question("What does the Cold Tier keep?", ("no query has returned for ninety days",)),
    Question(
        "Why was the budget of the fourth quarter overrun?", ("the build was started three times", "184,000 euros")
    ),
    Question("How long does a rollback take?", ("under a minute",)),
    Question("Why did the engineer on call stop the Backfill Queue?", ("would have opened still more shards",)),
    Question("What is the refund policy for annual plans?", dead_end="entity_unresolved"),
    Question("What does the Lighthouse Gateway do?", dead_end="no_typed_edge"),
    Question("Which colour is the Query Router painted?", dead_end="wrong_node_type"),
    Question("What does the Daytime Backfill Schedule allow?", dead_end="pruned_too_early"),
)
