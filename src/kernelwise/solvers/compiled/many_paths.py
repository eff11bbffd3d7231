"""Compiled: the paths of many small machines on one fold, one after the other, in a single call.

A machine for two of ten classes is solved in a fraction of a millisecond. Python takes longer than that to
prepare it and to keep its results, and it holds its lock meanwhile. Compiled code does without the lock.
"""

from __future__ import annotations

from typing import Any

from kernelwise._core.llvm.values import at, call
from kernelwise.solvers.compiled.rounding import NO_OFFSET


def many_paths(
    K: Any,
    K_test: Any,
    used: Any,
    ends: Any,
    p: Any,
    beta: Any,
    f: Any,
    lo: Any,
    hi: Any,
    idle: Any,
    idle_ends: Any,
    idle_f: Any,
    turns: Any,
    answers: Any,
    columns: Any,
    runs: Any,
    Cs: Any,
    rank: Any,
    start: int,
    tol: float,
    limit: int,
    path: int,
    precision: float,
    change_members: int,
    smo_on_pool: int,
    subtract_rows: int,
    pool_K: int,
    short: int,
    own: Any,
    places: Any,
    room: Any,
    state: Any,
    support: Any,
    change: Any,
    kept: Any,
    value: Any,
    table: Any,
    last_C: Any,
    shown: Any,
    tables: Any,
    n_done: Any,
    n: int,
    n_machines: int,
    n_runs: int,
    width: int,
    n_test: int,
    n_asked: int,
    n_answers: int,
    n_Cs: int,
    stride: int,
) -> None:
    """Solve machines for every C.

    The samples that machine m trains on are those of ``used`` between ``ends[m]`` and ``ends[m + 1]``, and so
    are their numbers in the next five arrays, which are those of `smo_path`. It holds out the samples
    ``idle``, between ``idle_ends``; what they add to p − Kβ becomes ``idle_f``. The columns of all held-out
    samples stand in ``K_test`` in runs: run r begins at the column ``columns[r]`` with the sample that is
    number ``runs[r]`` among them. Their decision values, times ``turns[m]``, go to ``answers``. ``Cs``
    increase, and the results of each go to ``rank``. If ``start`` is 1, β and f are those of the C in
    ``last_C``, for which ``Cs`` begins with a free place; in any case that becomes the last C. ``tables``, of
    shape (n_machines, n_Cs, 8), is as that of `smo_path`. ``n_done`` receives how many C are solved: fewer
    where pair steps in single precision do not arrive, and β and f are then those of the first C that is not
    solved, and the first number of its row in ``tables`` the steps that led there; −1 if the machine must be
    solved in another way from the first C on. All other arrays are room to work in, for the largest of the
    machines.
    """
    for m in range(n_machines):
        begin, size = ends[m], ends[m + 1] - ends[m]
        own_used = at(used, begin)
        for i in range(size):
            row, given = at(own, i * size), at(K, own_used[i] * n)
            for k in range(size):
                row[k] = given[own_used[k]]
        shift = 0.0
        for k in range(size):
            shift += own[k]
        if start:
            Cs[0] = last_C[m]
        done = call(
            path,
            (
                own,
                size,
                at(p, begin),
                at(beta, begin),
                at(f, begin),
                at(lo, begin),
                at(hi, begin),
                Cs,
                size,
                n_Cs,
                n_Cs,
                stride,
                start,
                tol,
                limit,
                0,
                pool_K,
                short,
                precision,
                shift / size,
                change_members,
                smo_on_pool,
                subtract_rows,
                places,
                room,
                kept,
                table,
                state,
            ),
        )
        is_solved = state[0] != 0
        n_done[m], last_C[m] = n_asked if is_solved else done - 1 - start, Cs[done - 1]
        if not is_solved:  # the steps count, although others go on from them
            done -= 1
            tables[(m * n_asked + rank[done - start]) * 8] = table[done * 8]
        # The support vectors of any C, so that all of them have the same rows of K; four at a time.
        n_support = 0
        for i in range(size):
            is_support = False
            for c in range(start, done):
                change[c * stride + n_support] = -kept[c * size + i]
                is_support |= kept[c * size + i] != 0.0
            if is_support:
                support[n_support] = own_used[i]
                n_support += 1
        while n_support & 3:
            support[n_support] = support[n_support - 1]
            for c in range(start, done):
                change[c * stride + n_support] = 0.0
            n_support += 1
        for j in range(start * n_test, done * n_test):
            value[j] = 0.0
        for r in range(n_runs):
            j, n_columns = runs[r], runs[r + 1] - runs[r]
            for c in range(start, done):
                terms, sums = at(change, c * stride), at(value, c * n_test + j)
                call(
                    subtract_rows,
                    (at(K_test, columns[r]), width, n_columns, support, terms, n_support, sums),
                )
        for k in range(n_done[m]):
            # Without a bounded support vector the last solution is that of every larger C, too.
            c = k + start if k + start < done else done - 1
            offset, sums, result = table[c * 8 + 3], at(value, c * n_test), m * n_asked + rank[k]
            answer, numbers = at(shown, result * n_answers), at(tables, result * 8)
            for j in range(n_test):
                answer[answers[j]] = turns[m] * (sums[j] + offset)
            for j in range(8):
                numbers[j] = table[c * 8 + j]
            if k + start >= done:
                numbers[0] = 0.0
            if numbers[4] > 0.0 and -NO_OFFSET < offset < NO_OFFSET:
                n_done[m] = -1
        own_beta = at(beta, begin)
        for k in range(idle_ends[m], idle_ends[m + 1]):
            column, total = at(K, idle[k]), 0.0
            for i in range(size):
                if own_beta[i] != 0.0:
                    total += own_beta[i] * column[own_used[i] * n]
            idle_f[k] = total
