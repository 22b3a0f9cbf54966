"""What each panel asks. The texts stand in dashboard/README.md word for word, and can be run by `contextmesh query`."""

from __future__ import annotations

from collections.abc import Mapping

COUNTS: Mapping[str, str] = {
    "total": "node_type(K), N = count { X : node(X, K) }",
    "standing": "node_type(K), N = count { X : node(X, K), live(X), not superseded(X) }",
    "superseded": "node_type(K), N = count { X : node(X, K), live(X), superseded(X) }",
    "fallen": "node_type(K), N = count { X : node(X, K), invalid(X) }",
    "pruned": "node_type(K), N = count { X : node(X, K), pruned(X), not invalid(X) }",
}
"""Of each node type; the four below the first add up to it."""

EDGES: Mapping[str, str] = {
    "total": "edge_type(T), N = count { L : edge(L, _, T, _) }",
    "dead": "edge_type(T), N = count { L : edge(L, _, T, _), edge_dead(L) }",
}

HEALTH = "signal(K, X), severity(K, W), remedy(K, R)"

ASSUMPTIONS = (
    "status(A, W), N = count { X : edge(L, X, T, A), propagates(T, backward), not loose(L), not node(X, assumption), "
    "not invalid(X) }"
)
"""With how much that has not fallen stands on each directly, by which the first ones are chosen."""

ABOUT = "panel_about(A) :- node(A, assumption)."
STANDS = f"""{ABOUT}
panel_carries(X, Y) :- edge(L, X, T, Y), propagates(T, backward), not loose(L), not node(X, assumption).
panel_carries(Y, X) :- edge(L, X, T, Y), propagates(T, forward), not loose(L), not node(Y, assumption).
panel_carries(X, G) :- way(_, X, G), not node(X, assumption).
panel_stands(X, A) :- panel_about(A), panel_carries(X, A).
panel_stands(X, A) :- panel_stands(Y, A), panel_carries(X, Y).
?- panel_about(A), N = count {{ X : panel_stands(X, A), not invalid(X) }}."""
"""Directly or through others, also through one of several grounds: at most so much falls with it."""

FALLEN = "fell(X, A), invalid(X)"
DECISIONS = "node(D, decision), N = count { X : edge(_, X, T, D), propagates(T, backward), live(X) }"
CURRENT = "current(D)"
REPLACED = "edge(_, N, supersedes, O), node(O, decision)"
CONTRADICTIONS = (
    "signal(open_contradictions, A), edge(L, A, contradicts, B), node(B, claim), live(B), "
    "not edge_dead(L), not settled(L)"
)
UNJUDGED = (
    "signal(unjudged_evidence, E), edge(L, E, contradicts, A), node(A, assumption), not rejected(A, _), "
    "not edge_dead(L)"
)
SOURCES = """panel_rests(X, S) :- provenance(X, S), live(X).
panel_rests(X, S) :- edge(L, X, T, S), ground_word(T), live(X), not edge_dead(L).
?- node(S, source), N = count { X : panel_rests(X, S) }."""

TASKS = "task(T, A)"
STATES: Mapping[str, str] = {
    "failed": "failed(T)",
    "done": "done(T)",
    "stale": "stale(T)",
    "ready": "ready(T)",
}
BLOCKED = "blocked(T, R)"

TIMELINE = "panel_wrote(Q) :- born(_, Q). ?- panel_wrote(Q), N = count { X : born(X, Q) }."


def queries() -> dict[str, str]:
    """Every query by the name under which dashboard/README.md has it."""
    return {
        **{f"counts.{word}": text for word, text in COUNTS.items()},
        **{f"edges.{word}": text for word, text in EDGES.items()},
        "health": HEALTH,
        "assumptions": ASSUMPTIONS,
        "assumptions.stands": STANDS,
        "fallen": FALLEN,
        "decisions": DECISIONS,
        "decisions.current": CURRENT,
        "decisions.replaced": REPLACED,
        "contradictions": CONTRADICTIONS,
        "unjudged": UNJUDGED,
        "sources": SOURCES,
        "plan": TASKS,
        **{f"plan.{word}": text for word, text in STATES.items()},
        "plan.blocked": BLOCKED,
        "timeline": TIMELINE,
    }
