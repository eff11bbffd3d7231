// The paths of machines on the folds of a cross-validation, with held-out decision values, without Python in between.
//
// A machine is a two-class problem (of a pair of classes, or of a class and the rest) or a regression. There are two
// ways to begin. Large machines are solved on all samples first, coarsely and for the smallest C, and each fold starts
// from that seed, less the coefficients that it holds out; held-out samples stay in the problem with both bounds at
// zero. Many small machines are cut out of K without what a fold holds out, and start from nothing.
#pragma once

#include "path.hpp"

namespace kernelwise::KERNELWISE_TARGET {

constexpr double SEED_TOL = 0.05;    // the machine on all samples only gives the folds a start
constexpr double SEED_SLACK = 0.25;  // what is this close to the margin may move in a fold
constexpr Index USUAL_FREE = 100;    // free variables, before anything is known of them
constexpr Index COLUMNS = 256;       // held-out samples at a time: their kernel values stay next to the core

// Memory of a pool of at most n variables.
template <class T>
class PoolMemory {
public:
    void reset(Index n) {
        const Index stride = pool_stride(n);
        K_.reset(n, stride);
        rows_.reset(Pool<T>::N_ROWS, stride);
        room_.reset(Pool<T>::N_ROOM, stride);
        places_.reset(Pool<T>::N_PLACES, stride);
        pool.use(K_.rows(), rows_.rows(), room_.rows(), places_.rows());
        pool.size = 0;
    }
    Pool<T> pool;

private:
    Buffer<T> K_, rows_;
    Buffer<double> room_;
    Buffer<Place> places_;
};

// Columns of K, in runs of neighbours: where samples of a class stand together, copies of runs are several times as fast
// as one value after the other.
class Columns {
public:
    void choose(Row<const Place> where) {
        where_ = where;
        runs_.reset(1, larger(where.size, Index{1}));
        n_runs_ = 0;
        for (Index k = 0; k < where.size; ++k) {
            if (k == 0 || where[k] != where[k - 1] + 1) runs_.row()[n_runs_++] = {k, 0};
            ++runs_.row()[n_runs_ - 1].size;
        }
    }
    // to_k = from[where_k]
    template <class T>
    void take(const T* from, T* to) const {
        if (SHORT * n_runs_ > where_.size) {
            gather(from, where_, to);
            return;
        }
        for (const Run& run : runs_.row().part(0, n_runs_)) {
            const T* const first = from + where_[run.begin];
            for (Index k = 0; k < run.size; ++k) to[run.begin + k] = first[k];
        }
    }

private:
    static constexpr Index SHORT = 4;
    struct Run {
        Index begin, size;
    };
    Row<const Place> where_;
    Buffer<Run> runs_;
    Index n_runs_ = 0;
};

// What the folds of one machine share: its part of K, and the seed.
template <class Gram>
struct Shared {
    Rows<const Gram> K;
    Buffer<Gram> own;  // the memory of K unless all samples are members, in their order
    Buffer<double> beta, f;
    PoolMemory<float> memory;
    double shift = 0.0;
};

// One thread's room to work in, and what it does there.
template <class Gram>
class FoldPaths {
public:
    explicit FoldPaths(const Setup& setup)
        : setup_(setup), limits_(2, setup.most), values_(3, setup.most), numbers_(2, setup.most),
          support_(1, pool_stride(setup.most)), seen_(4, COLUMNS) {
        memory_.reset(setup.most);
    }

    // Cut out the part of K of a machine, and solve its seed.
    Ending prepare(const Asked<Gram>& asked, Index m, Shared<Gram>& shared) {
        const Machine& machine = setup_.machines[m];
        const Index n = machine.members.size;
        shared.K = asked.K;
        if (!has_all_in_order(machine.members)) {
            shared.own.reset(n, n);
            shared.K = cut_out(asked.K, machine.members, shared.own.rows());
        }
        shared.shift = mean(shared.K[0].part(0, n));
        if (!asked.has_seed) return Ending::solved;
        shared.beta.reset(1, n);
        shared.f.reset(1, n);
        shared.memory.reset(n);
        const Row<double> beta = shared.beta.row(), f = shared.f.row();
        const Row<double> lo = limits_.rows()[0].part(0, n), hi = limits_.rows()[1].part(0, n);
        for (Index k = 0; k < n; ++k) {
            beta[k] = 0.0;
            f[k] = machine.p[k];
            lo[k] = machine.lo[k] * setup_.largest[machine.members[k]];
            hi[k] = machine.hi[k] * setup_.largest[machine.members[k]];
        }
        Pool<float>& pool = shared.memory.pool;
        pool.shift = shared.shift;
        const Problem<Gram> problem{shared.K, machine.p, beta, f, lo, hi};
        set_bounds(problem, pool, asked.Cs[0]);
        Figures figures;
        // Where pair steps crawl, as far as they came is a start, too.
        if (pair_steps(problem, pool, asked, larger(asked.tol, SEED_TOL), figures) == Ending::stopped)
            return Ending::stopped;
        for (Index k = 0; k < n; ++k) pool.status[k] = magnitude(f[k] - figures.offset) < SEED_SLACK;
        thin_out<float>(pool, pool.status, 1);
        return Ending::solved;
    }

    // Solve machine m on fold s for every C, as far as pair steps lead. Without ``shared`` it is cut out for this fold.
    Ending solve(const Asked<Gram>& asked, Index m, Index s, const Shared<Gram>* shared) {
        const Machine& machine = setup_.machines[m];
        const Fold& fold = setup_.folds[s];
        const Index result = s * setup_.machines.size + m, end = machine.begin + machine.members.size;
        const Row<double> all_beta = asked.beta[s].part(machine.begin, end),
                          all_f = asked.f[s].part(machine.begin, end);
        if (!take_variables(machine, fold, shared != nullptr)) {
            answer_one_side(asked, m, s, all_beta, all_f);
            return Ending::solved;
        }
        const Index n = who_.size, start = asked.goes_on ? 1 : 0;
        const Row<double> beta = values_.rows()[0].part(0, n), f = values_.rows()[1].part(0, n);
        const Row<double> p = values_.rows()[2].part(0, n);
        for (Index k = 0; k < n; ++k) {
            p[k] = machine.p[variable_[k]];
            beta[k] = start ? all_beta[variable_[k]] : 0.0;
            f[k] = start ? all_f[variable_[k]] : p[k];
        }
        Pool<float>& pool = memory_.pool;
        pool.size = 0;
        Rows<const Gram> K;
        if (shared == nullptr) {
            own_.reset(n, n);
            K = cut_out(asked.K, who_, own_.rows());
            pool.shift = mean(K[0]);
        } else {
            K = shared->K;
            pool.shift = shared->shift;
        }
        const Problem<Gram> problem{K, p, beta, f, limits_.rows()[0].part(0, n), limits_.rows()[1].part(0, n)};
        if (shared != nullptr && asked.has_seed) start_from_seed(problem, pool, *shared, asked.Cs[0]);
        const Index n_Cs = asked.Cs.size + start;
        Cs_.reset(1, n_Cs);
        if (start) Cs_.row()[0] = asked.last_C[result];
        for (Index c = start; c < n_Cs; ++c) Cs_.row()[c] = asked.Cs[c - start];
        kept_.reset(n_Cs, n);
        table_.reset(1, n_Cs);
        const PathOfC path{Cs_.row(), start, kept_.rows(), table_.row()};
        const auto [n_tried, ending] = along_C(problem, pool, asked, path);
        if (ending == Ending::stopped) return ending;

        const Index n_solved = ending == Ending::solved ? n_tried : n_tried - 1;
        for (Index c = start; c < n_solved; ++c) {
            correct_offset(problem, path, c);
            if (fold.counts.size > 0) count_support(fold.counts, problem, path, c);
        }
        if (!hold_out(asked, fold.test, start, n_solved)) return Ending::stopped;
        // Without a bounded support vector the last solution is that of every larger C, too.
        asked.n_done[result] = ending == Ending::solved ? asked.Cs.size : n_solved - start;
        asked.last_C[result] = Cs_.row()[n_tried - 1];
        for (Index k = 0; k < asked.n_done[result]; ++k) {
            const bool is_repeated = k + start >= n_solved;
            const Index c = is_repeated ? n_solved - 1 : k + start;
            Figures& figures = asked.figures(result, k) = path.table[c];
            if (is_repeated) figures.n_pairs = 0.0;
            const Row<double> sums = sums_.rows()[c], shown = asked.shown(m, k);
            for (Index j = 0; j < fold.test.size; ++j) {
                shown[fold.answers[j]] = machine.turn * (sums[j] + figures.offset);
                if (!is_finite_number(sums[j])) figures.gap = std::numeric_limits<double>::quiet_NaN();
            }
        }
        // The steps of a C that is not solved count, although others go on from them.
        if (ending != Ending::solved) asked.figures(result, n_solved - start) = path.table[n_tried - 1];
        give_back(asked.K, machine, problem, all_beta, all_f);
        return ending;
    }

private:
    bool has_all_in_order(Row<const Place> members) const {
        if (members.size != setup_.n) return false;
        for (Index k = 0; k < members.size; ++k)
            if (static_cast<Index>(members[k]) != k) return false;
        return true;
    }

    static double mean(Row<const Gram> row) {
        double total = 0.0;
        for (const Gram value : row) total += value;
        return total / static_cast<double>(row.size);
    }

    Rows<const Gram> cut_out(Rows<const Gram> K, Row<const Place> who, Rows<Gram> own) {
        columns_.choose(who);
        for (Index i = 0; i < who.size; ++i) columns_.take(K[who[i]].first, own[i].first);
        return own;
    }

    // Number the variables of a problem: all members, or only those that the fold trains on. False if no variable may
    // rise above zero, or none may fall below it: one side of the labels has no weight.
    bool take_variables(const Machine& machine, const Fold& fold, bool takes_all) {
        const Row<Place> who = numbers_.rows()[0], variable = numbers_.rows()[1];
        const Row<double> lo = limits_.rows()[0], hi = limits_.rows()[1];
        Index size = 0;
        bool has_low = false, has_high = false;
        for (Index k = 0; k < machine.members.size; ++k) {
            const double weight = fold.weight[machine.members[k]];
            lo[size] = machine.lo[k] * weight;
            hi[size] = machine.hi[k] * weight;
            has_low |= lo[size] < 0.0;
            has_high |= hi[size] > 0.0;
            if (lo[size] == hi[size] && !takes_all) continue;
            who[size] = machine.members[k];
            variable[size++] = static_cast<Place>(k);
        }
        who_ = who.part(0, size);
        variable_ = variable.part(0, size);
        return has_low && has_high;
    }

    // A machine whose training part has no sample of one side answers the other.
    void answer_one_side(const Asked<Gram>& asked, Index m, Index s, Row<double> beta, Row<double> f) {
        const Machine& machine = setup_.machines[m];
        const Fold& fold = setup_.folds[s];
        const Index result = s * setup_.machines.size + m;
        double side = 0.0;
        for (Index k = 0; k < machine.members.size; ++k)
            side += (machine.lo[k] + machine.hi[k]) * fold.weight[machine.members[k]];
        const double value = machine.turn * (side > 0.0 ? 1.0 : side < 0.0 ? -1.0 : 0.0);
        for (Index c = 0; c < asked.Cs.size; ++c) {
            asked.figures(result, c) = Figures{};
            for (const Index place : fold.answers) asked.shown(m, c)[place] = value;
        }
        asked.n_done[result] = asked.Cs.size;
        asked.last_C[result] = asked.Cs[asked.Cs.size - 1];
        for (Index k = 0; k < machine.members.size; ++k) {
            beta[k] = 0.0;
            f[k] = machine.p[k];
        }
    }

    // The seed, brought into the bounds, less the least coefficients of the sign that now outweighs.
    void start_from_seed(const Problem<Gram>& problem, Pool<float>& pool, const Shared<Gram>& shared, double C) {
        const Pool<float>& seed = shared.memory.pool;
        const Row<double> seed_beta = shared.beta.row(), seed_f = shared.f.row();
        for (Index a = 0; a < seed.size; ++a) {
            pool.members[a] = seed.members[a];
            for (Index b = 0; b < seed.size; ++b) pool.K[a][b] = seed.K[a][b];
        }
        pool.size = seed.size;
        double excess = 0.0, total = 0.0;
        for (Index k = 0; k < problem.size(); ++k) {
            const double lo = C * problem.unit_lo[k], hi = C * problem.unit_hi[k];
            double beta = smaller(larger(seed_beta[k], lo), hi);
            // A coefficient that rounding leaves next to a bound would count as free, and the offset be its f.
            const double hair = HAIR * (hi - lo);
            if (hi - beta <= hair) beta = hi;
            if (beta - lo <= hair) beta = lo;
            problem.beta[k] = beta;
            problem.f[k] = seed_f[k];
            excess += beta;
            total += magnitude(beta);
        }
        // The rounding of the sum is no excess: taken from a bounded variable it would make that one free.
        const double rounding = HAIR * total, sign = excess > 0.0 ? 1.0 : -1.0;
        for (double left = magnitude(excess); left > rounding;) {
            const Index least = least_of_sign(problem.beta, sign);
            if (least < 0) break;
            const double size = sign * problem.beta[least], taken = left < size - rounding ? left : size;
            problem.beta[least] -= sign * taken;
            left -= taken;
        }
        const Row<double> change = pool.value;
        Index n_rows = 0;
        for (Index k = 0; k < problem.size(); ++k) {
            if (problem.beta[k] == seed_beta[k]) continue;
            pool.list[n_rows] = static_cast<Place>(k);
            change[n_rows++] = problem.beta[k] - seed_beta[k];
        }
        n_rows = fill_up(pool.list, change, n_rows);
        subtract_rows<Gram>(problem.K, pool.list.part(0, n_rows), change.part(0, n_rows), problem.f);
    }

    static Index least_of_sign(Row<const double> beta, double sign) {
        Index found = -1;
        double least = INFINITE;
        for (Index k = 0; k < beta.size; ++k) {
            const double size = sign * beta[k];
            if (size > 0.0 && size < least) {
                least = size;
                found = k;
            }
        }
        return found;
    }

    Index patience(Index n, Index n_free, const Asked<Gram>& asked) const {
        const double worth = asked.patience * static_cast<double>(kernelwise::patience(n, n_free, asked.may_guess));
        return smaller(asked.max_iter, static_cast<Index>(worth));
    }

    // Whether pair steps that did not solve a problem should make way for linear systems.
    bool crawls(const Figures& figures, Index n, const Asked<Gram>& asked, double tol) const {
        const Index worth = patience(n, static_cast<Index>(figures.n_free), asked);
        return figures.is_stalled != 0.0 || !(figures.gap >= tol) || static_cast<Index>(figures.n_pairs) >= worth;
    }

    // Pair steps for the bounds of the pool, as many as are worth a linear system. ``figures`` has those done so far.
    Ending pair_steps(const Problem<Gram>& problem, Pool<float>& pool, const Asked<Gram>& asked, double tol,
                      Figures& figures) {
        do {
            const Index n_before = static_cast<Index>(figures.n_pairs);
            const Index limit = patience(problem.size(), static_cast<Index>(figures.n_free), asked) - n_before;
            const double lowest = figures.lowest;
            const Shrunk found = shrinking_smo(problem, pool, Rules{tol, limit, asked.watch});
            figures = found.figures;
            figures.n_pairs += static_cast<double>(n_before);
            figures.lowest = smaller(figures.lowest, lowest);
            if (found.is_stopped) return Ending::stopped;
            if (figures.gap < tol) return Ending::solved;
        } while (!crawls(figures, problem.size(), asked, tol));
        return Ending::not_solved;
    }

    // As `solve_path`, but more variables may be free than was known when the path began, and pair steps still be worth
    // less than a linear system.
    PathEnd along_C(const Problem<Gram>& problem, Pool<float>& pool, const Asked<Gram>& asked, PathOfC path) {
        for (Index n_free = USUAL_FREE;;) {
            const Rules rules{asked.tol, patience(problem.size(), n_free, asked), asked.watch};
            const PathEnd end = solve_path(problem, pool, path, rules);
            Figures figures = path.table[end.n_done - 1];
            if (end.ending != Ending::not_solved || crawls(figures, problem.size(), asked, asked.tol)) return end;
            const Ending ending = pair_steps(problem, pool, asked, asked.tol, figures);
            record(problem, path, end.n_done - 1, figures);
            const Figures& last = path.table[end.n_done - 1];
            if (ending != Ending::solved || end.n_done == path.Cs.size || last.n_free == last.n_support)
                return {end.n_done, ending};
            n_free = larger(static_cast<Index>(last.n_free), USUAL_FREE);
            path.start = end.n_done;
        }
    }

    // Where the offset is rounding: the mean of p − Kβ over the free variables, their own terms apart, since those of a
    // narrow kernel hide all others. The others are in single precision, LIBSVM's for training: kernel values that
    // vanish there must not decide labels here.
    void correct_offset(const Problem<Gram>& problem, const PathOfC& path, Index c) const {
        Figures& figures = path.table[c];
        if (!(figures.n_free > 0.0 && magnitude(figures.offset) < NO_OFFSET)) return;
        const Row<double> beta = path.kept[c];
        double own = 0.0, others = 0.0, n_free = 0.0;
        for (Index i = 0; i < problem.size(); ++i) {
            if (beta[i] == 0.0 || is_bounded(problem, path.Cs[c], i, beta[i])) continue;
            n_free += 1.0;
            own += problem.p[i] - problem.K[i][i] * beta[i];
            for (Index k = 0; k < problem.size(); ++k)
                if (k != i && beta[k] != 0.0)
                    others += static_cast<double>(static_cast<float>(problem.K[i][k])) * beta[k];
        }
        if (n_free > 0.0) figures.offset = (own - others) / n_free;
    }

    static bool is_bounded(const Problem<Gram>& problem, double C, Index k, double beta) {
        return beta == C * problem.unit_lo[k] || beta == C * problem.unit_hi[k];
    }

    void count_support(Row<const double> counts, const Problem<Gram>& problem, const PathOfC& path, Index c) const {
        double n_support = 0.0, n_free = 0.0;
        for (Index k = 0; k < who_.size; ++k) {
            const double beta = path.kept[c][k], count = counts[who_[k]];
            n_support += beta != 0.0 ? count : 0.0;
            n_free += beta != 0.0 && !is_bounded(problem, path.Cs[c], k, beta) ? count : 0.0;
        }
        path.table[c].n_support = n_support;
        path.table[c].n_free = n_free;
    }

    // Kernel expansions at the held-out samples, for each C, from the support vectors of any of them. They come from K
    // itself, and not from f: with a very narrow kernel they are smaller than the rounding of f.
    // False if the work was stopped.
    bool hold_out(const Asked<Gram>& asked, Row<const Place> test, Index start, Index n_solved) {
        const Rows<double> kept = kept_.rows();
        const Row<Place> support = support_.row();
        change_.reset(kept.count, pool_stride(setup_.most));
        sums_.reset(kept.count, larger(test.size, Index{1}));
        const Rows<double> change = change_.rows(), sums = sums_.rows();
        Index n = 0;
        for (Index i = 0; i < who_.size; ++i) {
            bool is_support = false;
            for (Index c = start; c < n_solved; ++c) {
                change[c][n] = -kept[c][i];
                is_support |= kept[c][i] != 0.0;
            }
            if (is_support) support[n++] = who_[i];
        }
        for (; n % 4 != 0; ++n) {
            support[n] = support[n - 1];
            for (Index c = start; c < n_solved; ++c) change[c][n] = 0.0;
        }
        for (Index c = start; c < n_solved; ++c)
            for (double& sum : sums[c]) sum = 0.0;
        constexpr Place four[] = {0, 1, 2, 3};
        for (Index first = 0; first < test.size; first += COLUMNS) {
            const Row<const Place> some = test.part(first, smaller(first + COLUMNS, test.size));
            columns_.choose(some);
            for (Index k = 0; k < n; k += 4) {
                if (k % COLUMNS == 0 && asked.watch->ends()) return false;
                const Rows<Gram> values = seen_.rows();
                for (Index r = 0; r < 4; ++r) columns_.take(asked.K[support[k + r]].first, values[r].first);
                for (Index c = start; c < n_solved; ++c)
                    subtract_rows<Gram>(values, {four, 4}, change[c].part(k, k + 4),
                                        sums[c].part(first, first + some.size));
            }
        }
        return true;
    }

    // β and f of all members: also f of those that were cut out.
    void give_back(Rows<const Gram> K, const Machine& machine, const Problem<Gram>& problem, Row<double> all_beta,
                   Row<double> all_f) const {
        Index k = 0;
        for (Index t = 0; t < machine.members.size; ++t) {
            if (k < who_.size && static_cast<Index>(variable_[k]) == t) {
                all_beta[t] = problem.beta[k];
                all_f[t] = problem.f[k++];
                continue;
            }
            const Row<const Gram> row = K[machine.members[t]];
            double total = 0.0;
            for (Index i = 0; i < who_.size; ++i)
                if (problem.beta[i] != 0.0) total += problem.beta[i] * row[who_[i]];
            all_beta[t] = 0.0;
            all_f[t] = machine.p[t] - total;
        }
    }

    const Setup& setup_;
    PoolMemory<float> memory_;
    Row<Place> who_, variable_;  // samples of the problem's variables, and their numbers among the members
    Buffer<double> limits_, values_;
    Buffer<Place> numbers_, support_;
    Columns columns_;
    Buffer<Gram> seen_, own_;
    Buffer<double> Cs_, kept_, change_, sums_;
    Buffer<Figures> table_;
};

}  // namespace kernelwise::KERNELWISE_TARGET
