// The pool of variables that may move, and their part of the Gram matrix.
//
// Variables that may move join a pool: their part of K is copied, usually in single precision, and SMO runs on the
// pool, with f centred and scaled to order one. After each round the true f is updated from K itself. This is
// shrinking and iterative refinement at once: the answer has the precision of K, the loop the speed of single
// precision. A pool outlives a round, so the next C of a path has little to copy.
#pragma once

#include "problem.hpp"

namespace kernelwise::KERNELWISE_TARGET {

constexpr double SLACK = 0.3;   // of the gap: bounded variables this close to violating join the pool as well
constexpr Index SAMPLE = 512;   // most violators, or a quarter of all variables, to join the pool at once
constexpr double TINY = 1e-30;  // kernel values below it are zero: arithmetic on denormal numbers takes a hundredfold

// f −= Σ change_k K[rows_k], four rows a sweep so that f is loaded and stored a quarter as often; the number of rows is
// a multiple of four. The order of the sum is this one: it must not depend on where in a vector register a sample
// happens to be.
template <class Gram>
void subtract_rows(Rows<const Gram> K, Row<const Place> rows, Row<const double> change, Row<double> f) {
    double* const out = f.first;
    for (Index k = 0; k < rows.size; k += 4) {
        const Gram *Ka = K[rows[k]].first, *Kb = K[rows[k + 1]].first;
        const Gram *Kc = K[rows[k + 2]].first, *Kd = K[rows[k + 3]].first;
        const double a = change[k], b = change[k + 1], c = change[k + 2], d = change[k + 3];
#pragma omp simd
        for (Index t = 0; t < f.size; ++t) out[t] -= a * Ka[t] + b * Kb[t] + c * Kc[t] + d * Kd[t];
    }
}

// Repeat the last row without a change until their number is a multiple of four.
inline Index fill_up(Row<Place> rows, Row<double> change, Index n_rows) {
    for (; n_rows % 4 != 0; ++n_rows) {
        rows[n_rows] = rows[n_rows - 1];
        change[n_rows] = 0.0;
    }
    return n_rows;
}

enum Status : Place { OUTSIDE = 0, IN_POOL = 1, MATTERS = 2 };  // in the pool and matters: 3

// Let all members leave whose status, by variable, is not ``wanted``.
template <class T>
void thin_out(Pool<T>& pool, Row<const Place> status, Place wanted) {
    Index m = 0;
    for (Index a = 0; a < pool.size; ++a) {
        const Place t = pool.members[a];
        if (status[t] != wanted) continue;
        pool.old[m] = a;
        pool.members[m++] = t;
    }
    const Row<const Place> old = pool.old.part(0, m);
    // A row only moves up, and a value only to the left: none is written before it is read.
    for (Index a = 0; a < m; ++a) gather(pool.K[old[a]].first, old, pool.K[a].first);
    pool.size = m;
}

// Admit the variables of the list: their rows and columns of K are copied.
template <class Gram, class T>
void admit(Pool<T>& pool, Rows<const Gram> K, Index n_new) {
    const Index size = pool.size, m = size + n_new;
    for (Index a = size; a < m; ++a) pool.members[a] = pool.list[a - size];
    const Row<const Place> members = pool.members.part(0, m);
    const double shift = pool.shift;
    for (Index a = size; a < m; ++a) {
        const Gram* const given = K[members[a]].first;
        T* const row = pool.K[a].first;
        for (Index b = 0; b < m; ++b) {
            const double value = given[members.first[b]] - shift;
            row[b] = static_cast<T>(value > TINY || value < -TINY ? value : 0.0);
        }
    }
    for (Index a = 0; a < size; ++a)
        for (Index b = size; b < m; ++b) pool.K[a][b] = pool.K[b][a];
    pool.size = m;
}

// Extremes of f over those that may rise and those that may fall, the number of free variables, and their sum of f.
struct Survey {
    double up = -INFINITE, low = INFINITE, total = 0.0;
    Index n_free = 0, n_wrong = 0;  // the latter are not finite

    KERNELWISE_INLINE void see(double f, bool rises, bool falls) {
        n_wrong += !is_finite_number(f);
        if (rises && f > up) up = f;
        if (falls && f < low) low = f;
        if (rises && falls) {
            ++n_free;
            total += f;
        }
    }
    KERNELWISE_INLINE bool is_finite() const { return n_wrong == 0; }
    KERNELWISE_INLINE double gap() const { return up - low; }
    KERNELWISE_INLINE double middle() const { return 0.5 * (up + low); }
    KERNELWISE_INLINE double offset() const { return n_free > 0 ? total / static_cast<double>(n_free) : middle(); }
};

template <class Gram, class T>
Survey survey_all(const Problem<Gram>& problem, const Pool<T>& pool) {
    const double *const f = problem.f.first, *const beta = problem.beta.first;
    const double *const lo = pool.lo.first, *const hi = pool.hi.first;
    double up = -INFINITE, low = INFINITE, total = 0.0, n_wrong = 0.0, n_free = 0.0;
#pragma omp simd reduction(max : up) reduction(min : low) reduction(+ : total, n_wrong, n_free)
    for (Index t = 0; t < problem.size(); ++t) {
        const bool rises = hi[t] > beta[t], falls = beta[t] > lo[t];
        const double risen = rises ? f[t] : -INFINITE, fallen = falls ? f[t] : INFINITE;
        up = risen > up ? risen : up;
        low = fallen < low ? fallen : low;
        total += rises && falls ? f[t] : 0.0;
        n_free += rises && falls ? 1.0 : 0.0;
        n_wrong += is_finite_number(f[t]) ? 0.0 : 1.0;
    }
    return {up, low, total, static_cast<Index>(n_free), static_cast<Index>(n_wrong)};
}

template <class Gram, class T>
Survey survey_members(const Problem<Gram>& problem, const Pool<T>& pool) {
    Survey found;
    for (Index a = 0; a < pool.size; ++a) {
        const Place t = pool.members[a];
        const double beta = problem.beta[t];
        found.see(problem.f[t], pool.hi[t] > beta, beta > pool.lo[t]);
    }
    return found;
}

struct Joining {
    Index n_new, n_matter;
};

// List the free and the violating variables outside the pool; of too many, a regular sample with the worst pair in it.
template <class Gram, class T>
Joining who_joins(const Problem<Gram>& problem, Pool<T>& pool, const Survey& seen) {
    const Index n = problem.size();
    const double centre = seen.middle(), reach = SLACK * seen.gap();
    for (Index t = 0; t < n; ++t) pool.status[t] = OUTSIDE;
    for (Index a = 0; a < pool.size; ++a) pool.status[pool.members[a]] = IN_POOL;
    Joining found{0, 0};
    for (Index t = 0; t < n; ++t) {
        // Free, or bounded and not clear of the gap.
        const double beta = problem.beta[t], f = problem.f[t];
        const bool rises = pool.hi[t] > beta, falls = beta > pool.lo[t];
        if (!((rises && (falls || f > centre - reach)) || (falls && f < centre + reach))) continue;
        ++found.n_matter;
        if (pool.status[t] == OUTSIDE) pool.list[found.n_new++] = t;
        pool.status[t] |= MATTERS;
    }
    const Index every = 1 + found.n_new / larger(n / 4, SAMPLE);
    if (every == 1) return found;
    Index kept = 0;
    bool seen_up = false, seen_low = false;
    for (Index k = 0; k < found.n_new; ++k) {
        const Place t = pool.list[k];
        const double beta = problem.beta[t], f = problem.f[t];
        const bool top = !seen_up && beta < pool.hi[t] && f == seen.up;
        const bool bottom = !seen_low && beta > pool.lo[t] && f == seen.low;
        seen_up |= top;
        seen_low |= bottom;
        if (top || bottom || k % every == 0) pool.list[kept++] = t;
    }
    found.n_new = kept;
    return found;
}

}  // namespace kernelwise::KERNELWISE_TARGET
