"""The tree of RFC 6962: equal to its definition, and its proofs hold for what they are of and for nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from contextmesh.run.merkle import EMPTY, Tree, leaf_hash, node_hash, verify_consistency, verify_inclusion

patient = settings(deadline=None, max_examples=100)
sizes = st.integers(1, 70)


def definition(leaves: Sequence[bytes]) -> bytes:
    """MTH of RFC 6962, section 2.1, word for word."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    return node_hash(definition(leaves[:k]), definition(leaves[k:]))


def leaves(size: int) -> list[bytes]:
    return [leaf_hash(str(number).encode()) for number in range(size)]


def tree(size: int) -> Tree:
    made = Tree()
    for leaf in leaves(size):
        made.append(leaf)
    return made


def test_the_known_roots_of_the_published_test_vectors() -> None:
    data = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
    made = Tree()
    assert made.root().hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    for text in data:
        made.append(leaf_hash(bytes.fromhex(text)))
    assert made.root(1).hex() == "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"
    assert made.root(2).hex() == "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"
    assert made.root(8).hex() == "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"


@patient
@given(sizes, st.data())
def test_the_root_of_every_size_is_the_one_of_the_definition(size: int, data: st.DataObject) -> None:
    earlier = data.draw(st.integers(0, size))
    assert tree(size).root(earlier) == definition(leaves(earlier))


@patient
@given(sizes, st.data())
def test_an_inclusion_proof_holds_for_its_leaf_index_size_and_root_alone(size: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, size - 1))
    other = data.draw(st.integers(0, size - 1))
    made, all_leaves = tree(size), leaves(size)
    proof, root = made.inclusion(index), made.root()

    assert verify_inclusion(all_leaves[index], index, size, proof, root)
    assert len(proof) <= size.bit_length()
    assert verify_inclusion(all_leaves[other], index, size, proof, root) == (other == index)
    assert verify_inclusion(all_leaves[index], other, size, proof, root) == (other == index)
    assert not verify_inclusion(all_leaves[index], index, size, proof, EMPTY)
    assert not verify_inclusion(all_leaves[index], index, size, (*proof, EMPTY), root)
    assert not verify_inclusion(all_leaves[index], size, size, proof, root)
    if proof:
        assert not verify_inclusion(all_leaves[index], index, size, proof[:-1], root)
        assert not verify_inclusion(all_leaves[index], index, size, (*proof[:-1], EMPTY), root)


@patient
@given(sizes, st.data())
def test_a_consistency_proof_holds_for_its_sizes_and_roots_alone(size: int, data: st.DataObject) -> None:
    old = data.draw(st.integers(1, size))
    made = tree(size)
    proof, before, after = made.consistency(old), made.root(old), made.root()

    assert verify_consistency(old, size, proof, before, after)
    if old < size:
        assert proof
        assert not verify_consistency(old, size, proof, after, after)
        assert not verify_consistency(old, size, proof, before, before)
        assert not verify_consistency(old, size, proof[:-1], before, after)
        assert not verify_consistency(old, size, (*proof, EMPTY), before, after)
        assert not verify_consistency(old, size, (*proof[:-1], EMPTY), before, after)
    else:
        assert proof == ()
        assert not verify_consistency(old, size, (EMPTY,), before, after)


@patient
@given(sizes, st.data())
def test_a_rewritten_past_is_inconsistent(size: int, data: st.DataObject) -> None:
    old = data.draw(st.integers(1, size))
    changed = data.draw(st.integers(0, old - 1))
    forged = Tree()
    for number, leaf in enumerate(leaves(size)):
        forged.append(leaf_hash(b"forged") if number == changed else leaf)

    assert not verify_consistency(old, size, forged.consistency(old), tree(old).root(), forged.root())
