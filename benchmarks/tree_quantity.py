"""The common part of the four benchmarks of a tree's quantities: systems, batches, contenders."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from benchmarks import ours
from benchmarks.harness import Contender, Row, fastest, interleave
from benchmarks.systems import Array, Tree, branched_tree, chain, states
from bough.model.model import Model
from bough.peers.pinocchio import Build, Convention, Pinocchio, Quantity

Compute = Callable[[Model, Array, Array, Array], object]
Verify = Callable[[Model, Pinocchio, Array, Array, Array], None]

CHAINS = (5, 10, 20, 40, 80)
CACHE = 400_000  # largest size of the results of one batch, in bytes, so that they stay in the cache
ROUND = 640  # number of joints in a batch: a round takes less than a millisecond and is seldom interrupted


def measure(
    benchmark: str,
    compute: Compute,
    verify: Verify,
    peer_name: str,
    quantity: Quantity,
    variants: Sequence[tuple[Convention, Build]],
    matrices: int = 0,
    target: float | None = 1.0,
) -> Iterator[Row]:
    """Time ``compute`` against Pinocchio's ``quantity`` on all trees; the fastest variant is the peer.

    Both go through a batch of states in one call; the time of a call with one state is taken off.
    """
    for tree in (*map(chain, CHAINS), branched_tree()):
        batch = _batch_size(tree, matrices)
        q, v, x = states(tree, batch)
        model = ours.build(tree)
        verify(model, Pinocchio(model), q, v, x)
        contenders = [_contender("bough", partial(compute, model), q, v, x)]
        for convention, build in variants:
            name = f"{peer_name} {convention}{' native' if build == 'native' else ''}"
            call = partial(Pinocchio(model, build).loop, quantity, convention)
            contenders.append(_contender(name, call, q, v, x))
        timings = interleave(contenders)
        best = fastest(timings, [contender.name for contender in contenders[1:]])
        yield Row(benchmark, tree.name, "state", timings, ours="bough", peer=best, target=target)


def _contender(
    name: str, call: Callable[[Array, Array, Array], object], q: Array, v: Array, x: Array
) -> Contender:
    return Contender(
        name, partial(call, q, v, x), items=len(q), empty=partial(call, q[:1], v[:1], x[:1]), empty_items=1
    )


def _batch_size(tree: Tree, matrices: int) -> int:
    numbers = tree.n * (4 + matrices * tree.n)
    return max(4, min(ROUND // tree.n, CACHE // (8 * numbers)))
