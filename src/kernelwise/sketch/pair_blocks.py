"""Which blocks of pairs a pass over the samples visits, and how threads share them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations_with_replacement, pairwise
from typing import Any, NamedTuple

import numpy as np

from kernelwise._core.typing import RandomState

# Rows of a block: 320 × 320 distances stay in the second-level cache.
BLOCK = 320
# Pairs in a task, the unit that threads share: tasks are added up in one order for any number of threads.
TASK = 1 << 23
# Independent draws of blocks, whose spread gives the standard error of a sampled sketch.
N_DRAWS = 10


class Block(NamedTuple):
    """A set of rows against a set of rows, for one cell (draw, class pair) of the result."""

    cell: tuple[int, int]
    rows: Any
    columns: Any
    n_pairs: int
    is_diagonal: bool


def class_pairs(n_classes: int) -> list[tuple[int, int]]:
    """(a, b) with a ≤ b, in the order of the cells."""
    return list(combinations_with_replacement(range(n_classes), 2))


def all_blocks(starts: np.ndarray) -> Iterator[Block]:
    """Blocks of the upper triangle, class pair by class pair."""
    pieces = _pieces(starts)
    for p, (a, b) in enumerate(class_pairs(len(pieces))):
        yield from _whole((0, p), pieces[a], pieces[b], a == b)


def blocks_between(starts: np.ndarray, others: np.ndarray) -> Iterator[Block]:
    """Blocks of all pairs of a row of one set and a row of another, class pair by class pair.

    ``starts`` and ``others``, of shape (n_classes + 1,), say where the classes of each set begin; the rows of
    the second come after those of the first.
    """
    pieces, further = _pieces(starts), _pieces(others + starts[-1])
    for p, (a, b) in enumerate(class_pairs(len(pieces))):
        yield from _whole((0, p), pieces[a], further[b], False)
        if a != b:
            yield from _whole((0, p), pieces[b], further[a], False)


def sampled_blocks(starts: np.ndarray, n_blocks: int, random_state: RandomState) -> Iterator[Block]:
    """``n_blocks`` random blocks of every class pair, spread over independent draws.

    A draw takes rows of each class at random, so that every pair of samples is as likely as any other to be
    in its blocks, which share as few rows as possible. Class pairs that have no more blocks than asked for
    are taken whole, in the first draw. Memory is that of the rows drawn.
    """
    rng = np.random.default_rng(random_state)
    n_draws = number_of_draws(n_blocks)
    n_pieces = -(-np.diff(starts) // BLOCK)
    pairs = class_pairs(len(n_pieces))
    n_all = {(a, b): n_pieces[a] * (n_pieces[b] + (a == b)) // (1 + (a == b)) for a, b in pairs}
    whole = [pair for pair in pairs if n_all[pair] <= n_blocks]
    for draw in range(n_draws):
        size = n_blocks // n_draws + (draw < n_blocks % n_draws)
        n_taken = np.minimum(n_pieces, size + 1)
        if draw == 0:
            for pair in whole:
                n_taken[list(pair)] = n_pieces[list(pair)]
        limits = zip(starts[:-1], starts[1:], n_pieces, n_taken, strict=True)
        pieces = [_drawn(*limit, rng) for limit in limits]
        for p, (a, b) in enumerate(pairs):
            if (a, b) not in whole:
                for k in range(size):
                    i = k % n_pieces[a]
                    j = (i + k // n_pieces[a] + (a == b)) % n_pieces[b]
                    yield _block((draw, p), pieces[a][i], pieces[b][j], False)
            elif draw == 0:
                yield from _whole((draw, p), pieces[a], pieces[b], a == b)


def _drawn(first: int, last: int, n_pieces: int, n_taken: int, rng: np.random.Generator) -> list[Any]:
    """Random rows from ``first`` on, as many as there are in ``n_taken`` of the ``n_pieces`` of them all."""
    n = last - first
    return np.array_split(first + rng.choice(n, -(-n * n_taken // n_pieces), replace=False), n_taken)


def number_of_draws(n_blocks: int | None) -> int:
    """Independent draws of ``n_blocks`` blocks; one if all are taken."""
    return 1 if n_blocks is None else min(N_DRAWS, n_blocks)


def in_tasks(blocks: Iterable[Block]) -> Iterator[list[Block]]:
    """Consecutive blocks put together until they have enough pairs for a task."""
    task: list[Block] = []
    size = 0
    for block in blocks:
        task.append(block)
        size += block.n_pairs
        if size >= TASK:
            yield task
            task, size = [], 0
    if task:
        yield task


def check_plan(n_blocks: int | None, part: tuple[int, int]) -> None:
    """Raise unless blocks can be sampled and shared out like that."""
    if n_blocks is not None and (not isinstance(n_blocks, (int, np.integer)) or n_blocks < 2):
        raise ValueError(f"n_blocks must be None or an integer of at least 2, got {n_blocks!r}.")
    if not 0 <= part[0] < part[1]:
        raise ValueError(f"part must be (k, n) with 0 ≤ k < n, got {part}.")


def _pieces(starts: np.ndarray) -> list[list[slice]]:
    """The rows of every class, in slices of nearly equal sizes; none for a class without rows."""
    edges = [np.linspace(*ends, -(-(ends[1] - ends[0]) // BLOCK) + 1) for ends in pairwise(starts)]
    return [[slice(*ends) for ends in pairwise(own.astype(int).tolist())] for own in edges]


def _whole(cell: tuple[int, int], rows: list[Any], columns: list[Any], is_square: bool) -> Iterator[Block]:
    """All pieces of rows against all pieces of columns; the upper triangle of them if they are the same."""
    for i, piece in enumerate(rows):
        if is_square:
            yield _block(cell, piece, piece, True)
        for other in columns[i + 1 :] if is_square else columns:
            yield _block(cell, piece, other, False)


def _block(
    cell: tuple[int, int], rows: slice | np.ndarray, columns: slice | np.ndarray, is_diagonal: bool
) -> Block:
    n, m = (s.stop - s.start if isinstance(s, slice) else len(s) for s in (rows, columns))
    return Block(cell, rows, columns, n * (n - 1) // 2 if is_diagonal else n * m, is_diagonal)
