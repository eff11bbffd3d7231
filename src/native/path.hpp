// The dual for one value of C after the other.
#pragma once

#include "pair_steps.hpp"
#include "pool.hpp"

namespace kernelwise::KERNELWISE_TARGET {

constexpr double REFINE = 256.0;  // a round aims at this many units of its precision, relative to its first gap

// LIBSVM's violation of s·β if it touches no bound but zero.
template <class Gram>
double violation(const Problem<Gram>& at, double s) {
    double up = -INFINITE, low = INFINITE;
    for (Index t = 0; t < at.size(); ++t) {
        const double value = s * at.f[t] + (1.0 - s) * at.p[t];
        if (at.beta[t] != 0.0 || at.unit_hi[t] > 0.0) up = larger(up, value);
        if (at.beta[t] != 0.0 || at.unit_lo[t] < 0.0) low = smaller(low, value);
    }
    return up - low;
}

// Keep β, scale it like C, what was bounded staying so, or scale it by what gives the least objective: of the first two
// the one with the lower objective. The third is the solution for a very narrow kernel, K = 1; for others it frees what
// should stay bounded, and is taken only if it halves the violation.
template <class Gram>
void start_from_last(const Problem<Gram>& at, double last, double C) {
    double linear = 0.0, quadratic = 0.0;
    for (Index t = 0; t < at.size(); ++t) {
        linear += at.p[t] * at.beta[t];
        quadratic += (at.p[t] - at.f[t]) * at.beta[t];
    }
    double s = C / last;
    bool stays = true;
    const double best = quadratic > 0.0 ? linear / quadratic : 1.0;
    if (1.0 < best && best < s && violation(at, best) < 0.5 * violation(at, 1.0)) {
        s = best;
        stays = false;
    } else if (0.5 * s * s * quadratic - s * linear >= 0.5 * quadratic - linear) {
        return;
    }
    for (Index t = 0; t < at.size(); ++t) {
        double& beta = at.beta[t];
        if (beta != 0.0) {
            const bool is_low = beta == last * at.unit_lo[t], is_high = beta == last * at.unit_hi[t];
            const double bound = C * (is_low ? at.unit_lo[t] : at.unit_hi[t]);
            beta = stays && (is_low || is_high) ? bound : s * beta;
        }
        at.f[t] = s * at.f[t] + (1.0 - s) * at.p[t];
    }
}

// Take over β of the members, and update f exactly.
template <class Gram, class T>
void bring_back(const Problem<Gram>& problem, Pool<T>& pool) {
    const Row<double> change = pool.lower;  // the bounds have done their part
    Index n_rows = 0;
    for (Index a = 0; a < pool.size; ++a) {
        const Place t = pool.members[a];
        if (pool.beta[a] == problem.beta[t]) continue;
        pool.list[n_rows] = t;
        change[n_rows++] = pool.beta[a] - problem.beta[t];
        problem.beta[t] = pool.beta[a];
    }
    n_rows = fill_up(pool.list, change, n_rows);
    subtract_rows<Gram>(problem.K, pool.list.part(0, n_rows), change.part(0, n_rows), problem.f);
}

struct Shrunk {
    Figures figures;
    bool is_stopped;
};

// Rounds of SMO on the pool of variables that may move, each followed by an exact update of f.
template <class Gram, class T>
Shrunk shrinking_smo(const Problem<Gram>& problem, Pool<T>& pool, const Rules& rules) {
    constexpr double precision = std::numeric_limits<T>::epsilon();
    // Else the pool is K itself, and stays as it is.
    const bool is_copy = static_cast<const void*>(problem.K.first) != static_cast<const void*>(pool.K.first);
    Figures figures;
    Index n_pairs = 0;
    bool is_stalled = false, is_stopped = false, is_finite = true;
    for (bool is_first = pool.size == 0;; is_first = false) {
        const Survey before = survey_all(problem, pool);
        is_finite = is_finite && before.is_finite();
        if (is_stalled || is_stopped || !is_finite || n_pairs >= rules.limit || !(before.gap() >= rules.tol)) {
            figures.n_pairs = static_cast<double>(n_pairs);
            figures.gap = is_finite ? before.gap() : std::numeric_limits<double>::quiet_NaN();
            figures.offset = before.offset();
            figures.n_free = static_cast<double>(before.n_free);
            figures.is_stalled = is_stalled;
            return {figures, is_stopped};
        }
        const auto [n_new, n_matter] = who_joins(problem, pool, before);
        if (is_copy && 4 * pool.size > 5 * n_matter + 4 * LANES) thin_out<T>(pool, pool.status, IN_POOL | MATTERS);
        admit(pool, problem.K, n_new);
        // Leave a first round early: after a few iterations a variable the active set is much smaller.
        Index limit = rules.limit - n_pairs;
        if (is_first) limit = smaller(limit, 4 * pool.size);
        const double reachable = REFINE * precision * before.gap(), enough = 0.9 * rules.tol;
        for (Index a = 0; a < pool.size; ++a) {
            const Place t = pool.members[a];
            pool.beta[a] = problem.beta[t];
            pool.lower[a] = pool.lo[t];
            pool.upper[a] = pool.hi[t];
            pool.value[a] = problem.f[t] - before.middle();
        }
        const PairsDone done = PairSteps<T>(pool).run(larger(reachable, enough), limit, *rules.watch);
        n_pairs += done.n_pairs;
        figures.lowest = smaller(figures.lowest, done.lowest);
        bring_back(problem, pool);
        is_stopped = done.is_stopped || rules.watch->ends();
        is_finite = done.is_finite;
        is_stalled = done.n_pairs < limit && survey_members(problem, pool).gap() > 0.5 * before.gap();
    }
}

// Bounds of the pool for one C.
template <class Gram, class T>
void set_bounds(const Problem<Gram>& problem, Pool<T>& pool, double C) {
    for (Index t = 0; t < problem.size(); ++t) {
        pool.lo[t] = C * problem.unit_lo[t];
        pool.hi[t] = C * problem.unit_hi[t];
    }
}

// Keep what was found for C number c: how many support vectors there are, the objective, and β. A variable that may
// both rise above zero and fall below it counts even at zero: it is free there.
template <class Gram>
void record(const Problem<Gram>& problem, const PathOfC& path, Index c, Figures figures) {
    Index n_support = 0;
    figures.objective = 0.0;
    for (Index t = 0; t < problem.size(); ++t) {
        n_support += problem.beta[t] != 0.0 || (problem.unit_lo[t] < 0.0 && 0.0 < problem.unit_hi[t]);
        figures.objective -= 0.5 * problem.beta[t] * (problem.p[t] + problem.f[t]);
    }
    figures.n_support = static_cast<double>(n_support);
    path.table[c] = figures;
    if (path.kept.count > 0)
        for (Index t = 0; t < problem.size(); ++t) path.kept[c][t] = problem.beta[t];
}

// Solve for increasing C, each from the solution before. Stops behind the first C for which no support vector is
// bounded, since no larger one changes that solution, and at one that is not solved to the tolerance in as many pair
// steps as are allowed (or in this precision).
template <class Gram, class T>
PathEnd solve_path(const Problem<Gram>& problem, Pool<T>& pool, const PathOfC& path, const Rules& rules) {
    for (Index c = path.start; c < path.Cs.size; ++c) {
        set_bounds(problem, pool, path.Cs[c]);
        if (c > 0) start_from_last(problem, path.Cs[c - 1], path.Cs[c]);
        const auto [figures, is_stopped] = shrinking_smo(problem, pool, rules);
        record(problem, path, c, figures);
        if (is_stopped) return {c + 1, Ending::stopped};
        if (!(figures.gap < rules.tol)) return {c + 1, Ending::not_solved};
        if (path.table[c].n_free == path.table[c].n_support) return {c + 1, Ending::solved};
    }
    return {path.Cs.size, Ending::solved};
}

}  // namespace kernelwise::KERNELWISE_TARGET
