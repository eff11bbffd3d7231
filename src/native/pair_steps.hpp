// Sequential minimal optimisation, pair by pair, on a copy of part of a Gram matrix.
//
// f = p − Kβ is the negative gradient. A variable may rise if β < hi (I_up) and fall if β > lo (I_low); β is optimal
// to ``tol`` when max f over I_up − min f over I_low < tol, which is LIBSVM's stopping rule. The working pair is
// chosen by second-order information [1]. Compilers do not vectorise an arg-max, so value and index are packed into
// one integer, whose maximum they do vectorise. The index takes the place of the value's lowest bits, which may cost a
// little progress, but only an exact scan may end a round.
//
// A pair alone undoes some of what the pairs before it did. So, after the first m steps, a step is turned: along
// e_i − e_j plus the multiple of the last direction d with which it is conjugate to d (g = K d is kept for that). Where
// pair steps crawl this takes half of them or less [2]. After RESTART turned steps, and where a bound is in the way, a
// step is along the pair alone, so that few variables ever move at once.
//
// [1] R.-E. Fan, P.-H. Chen, C.-J. Lin, "Working set selection using second order information for training support
//     vector machines", JMLR 6, 2005.
// [2] A. Torres-Barrán, C. M. Alaíz, J. R. Dorronsoro, "Faster SVM training via conjugate SMO", Pattern Recognition
//     111, 2021.
#pragma once

#include <type_traits>

#include "problem.hpp"

namespace kernelwise::KERNELWISE_TARGET {

constexpr double TAU = 1e-12;         // floor of the curvature of a pair, as in LIBSVM
constexpr double RESCALE = 1.0 / 64;  // a copy is scaled anew each time its gap has shrunk by this
constexpr int RESTART = 7;            // turned steps in a row: more gain little, and move more variables at once
constexpr double TIGHTER = 0.5;       // of the tolerance: at the same gap turned steps are farther from the solution
constexpr double EVEN = 16.0;         // times the least value of the diagonal: where it varies more, no step is turned
constexpr double FLATTEST = 1e-3;     // of a pair's own curvature: with less, rounding decides
constexpr Index LOOK = 2048;          // pair steps between two looks at whether the work should end

template <class T>
using Key = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

template <class T>
KERNELWISE_INLINE Key<T> bits_of(T value) {
    return __builtin_bit_cast(Key<T>, value);
}

// Integer that orders as ``value`` does in the bits of ``keep`` and holds ``index`` in the others.
template <class T>
KERNELWISE_INLINE Key<T> packed(T value, Key<T> index, Key<T> keep) {
    const Key<T> bits = bits_of(value);
    // The bits of negative floats count downwards: flip all but the sign.
    const Key<T> flips = (bits >> (8 * sizeof(T) - 1)) & std::numeric_limits<Key<T>>::max();
    return ((bits ^ flips) & keep) | index;
}

// The same for a value that is not negative.
template <class T>
KERNELWISE_INLINE Key<T> packed_positive(T value, Key<T> index, Key<T> keep) {
    return (bits_of(value) & keep) | index;
}

// The larger of ``value`` and a number that is not negative: their bits order as they do, or are negative.
template <class T>
KERNELWISE_INLINE T at_least(T least, T value) {
    const Key<T> a = bits_of(value), b = bits_of(least);
    return __builtin_bit_cast(T, a > b ? a : b);
}

// e_i − e_j, plus multiples of the last such directions.
struct Direction {
    Index who[2 * (RESTART + 1)];
    double share[2 * (RESTART + 1)];
    int size = 0;

    // Become e_i − e_j + turn·(the last direction).
    void turn_to(Index i, Index j, double turn) {
        for (int k = 0; k < size; ++k) share[k] *= turn;
        share[place_of(i)] += 1.0;
        share[place_of(j)] -= 1.0;
    }

private:
    int place_of(Index variable) {
        for (int k = 0; k < size; ++k)
            if (who[k] == variable) return k;
        KERNELWISE_CHECK(size < 2 * (RESTART + 1));
        who[size] = variable;
        share[size] = 0.0;
        return size++;
    }
};

struct PairsDone {
    Index n_pairs;
    double lowest;  // curvature met, relative to the diagonal
    bool is_stopped, is_finite;
};

template <class T>
class PairSteps {
public:
    explicit PairSteps(Pool<T>& pool) : pool_(pool), m_(padded(pool.size)) {
        for (Index t = 0; t < m_; ++t) {
            pool.g[t] = 0;
            if (t < pool.size) {
                pool.diag[t] = pool.K[t][t];
                pool.f[t] = static_cast<T>(pool.value[t]);
            } else {
                pool.beta[t] = pool.lower[t] = pool.upper[t] = 0.0;
                pool.diag[t] = pool.f[t] = 0;
            }
            mark(t);
        }
        Key<T> index = 1;
        while (index < m_ - 1) index += index + 1;
        index_ = index;
        keep_ = ~index;
    }

    // Optimise until the gap is below ``tol`` or ``limit`` pairs are done.
    PairsDone run(double tol, Index limit, const Watch& watch);

private:
    struct Extremes {
        Index i;
        double up, low;
    };
    struct Partner {
        Key<T> best, widest;
    };
    enum class Evenness { even, uneven, not_finite };

    Evenness diagonal() const;
    Extremes extremes() const;
    void centre_and_scale(double centre, double factor);
    template <bool is_turned>
    Partner best_partner(Index i, T flatness) const;
    template <bool is_turned>
    Key<T> move_and_rank(Index i, Index j, T turn, T step);
    double take_step(Index i, Index j, double step);
    bool stays_free(const Direction& direction, double step) const;

    // Note whether variable t may move: 0 if so, −∞ if not.
    void mark(Index t) {
        constexpr T never = -std::numeric_limits<T>::infinity();
        pool_.may_rise[t] = pool_.beta[t] < pool_.upper[t] ? T{0} : never;
        pool_.may_fall[t] = pool_.beta[t] > pool_.lower[t] ? T{0} : never;
    }

    Pool<T>& pool_;
    Index m_;  // members, padded: the compiler knows that vectorised loops have no remainder
    Key<T> index_, keep_;
};

// Set g = Ki − Kj + turn·g and f −= step·g, and return the packed arg-max of f over I_up.
template <class T>
template <bool is_turned>
KERNELWISE_INLINE Key<T> PairSteps<T>::move_and_rank(Index i, Index j, T turn, T step) {
    const T *Ki = pool_.K[i].first, *Kj = pool_.K[j].first, *may_rise = pool_.may_rise.first;
    T *f = pool_.f.first, *g = pool_.g.first;
    const Key<T> m = static_cast<Key<T>>(m_ / LANES * LANES), keep = keep_;
    Key<T> best = packed(-std::numeric_limits<T>::infinity(), Key<T>{0}, keep);
#pragma omp simd reduction(max : best) aligned(f, g, may_rise : 64)
    for (Key<T> t = 0; t < m; ++t) {
        T slope = Ki[t] - Kj[t];
        if constexpr (is_turned) {
            slope += turn * g[t];
            g[t] = slope;
        }
        const T value = f[t] - step * slope;
        f[t] = value;
        const Key<T> key = packed(value + may_rise[t], t, keep);
        best = key > best ? key : best;
    }
    return best;
}

// Packed arg-max of (f_i − f)² / curvature over the violators in I_low, and the packed largest f_i − f. The curvature
// is that of the pair, less (g_i − g)²·flatness if made conjugate to the last step.
template <class T>
template <bool is_turned>
KERNELWISE_INLINE typename PairSteps<T>::Partner PairSteps<T>::best_partner(Index i, T flatness) const {
    const T *Ki = pool_.K[i].first, *diag = pool_.diag.first, *may_fall = pool_.may_fall.first;
    const T *f = pool_.f.first, *g = pool_.g.first;
    const T kii = diag[i], fi = f[i], gi = g[i], tau = static_cast<T>(TAU);
    const Key<T> m = static_cast<Key<T>>(m_ / LANES * LANES), keep = keep_;
    Key<T> best = 0, widest = 0;
#pragma omp simd reduction(max : best, widest) aligned(f, g, diag, may_fall : 64)
    for (Key<T> t = 0; t < m; ++t) {
        const T slope = at_least(T{0}, fi - f[t] + may_fall[t]);
        T curvature = kii + diag[t] - (Ki[t] + Ki[t]);
        if constexpr (is_turned) curvature -= (gi - g[t]) * (gi - g[t]) * flatness;
        const Key<T> key = packed_positive(slope * slope / at_least(tau, curvature), t, keep);
        best = key > best ? key : best;
        widest = bits_of(slope) > widest ? bits_of(slope) : widest;
    }
    return {best, widest};
}

template <class T>
typename PairSteps<T>::Evenness PairSteps<T>::diagonal() const {
    T most = pool_.diag[0], least = pool_.diag[0];
    for (Index t = 0; t < pool_.size; ++t) {
        most = larger(most, pool_.diag[t]);
        least = smaller(least, pool_.diag[t]);
        if (!is_finite_number(pool_.diag[t])) return Evenness::not_finite;
    }
    return most <= EVEN * least ? Evenness::even : Evenness::uneven;
}

// Arg-max of f over I_up, that maximum, and the minimum of f over I_low; exact.
template <class T>
typename PairSteps<T>::Extremes PairSteps<T>::extremes() const {
    Extremes found{-1, -INFINITE, INFINITE};
    for (Index t = 0; t < m_; ++t) {
        const double value = pool_.f[t];
        if (pool_.may_rise[t] == 0 && value > found.up) {
            found.i = t;
            found.up = value;
        }
        if (pool_.may_fall[t] == 0 && value < found.low) found.low = value;
    }
    return found;
}

template <class T>
void PairSteps<T>::centre_and_scale(double centre, double factor) {
    for (Index t = 0; t < m_; ++t) pool_.f[t] = static_cast<T>((pool_.f[t] - centre) * factor);
}

// Raise β_i and lower β_j by ``step`` or as far as the bounds allow, and return how far that was.
template <class T>
double PairSteps<T>::take_step(Index i, Index j, double step) {
    double &rising = pool_.beta[i], &falling = pool_.beta[j];
    const double room_i = pool_.upper[i] - rising, room_j = falling - pool_.lower[j];
    step = smaller(step, room_i);
    step = smaller(step, room_j);
    // Bounds are met exactly: a variable that rounding leaves a hair away from one would count as free, and the offset
    // be its f alone. The rounding error must not be passed to the partner either: that would move it off its bound.
    const double hair = HAIR * (magnitude(rising) + magnitude(falling) + step);
    const bool meets_i = room_i - step <= hair, meets_j = room_j - step <= hair;
    if (meets_i)
        rising = pool_.upper[i];
    else if (step > hair || !meets_j)
        rising += step;
    if (meets_j)
        falling = pool_.lower[j];
    else if (step > hair || !meets_i)
        falling -= step;
    return step;
}

// Whether a step along the direction leaves all its variables clear of their bounds.
template <class T>
bool PairSteps<T>::stays_free(const Direction& direction, double step) const {
    for (int k = 0; k < direction.size; ++k) {
        const Index t = direction.who[k];
        const double before = pool_.beta[t], value = before + step * direction.share[k];
        const double hair = HAIR * (magnitude(before) + magnitude(value));
        if (!(pool_.lower[t] + hair < value && value < pool_.upper[t] - hair)) return false;
    }
    return true;
}

template <class T>
PairsDone PairSteps<T>::run(double tol, Index limit, const Watch& watch) {
    const Evenness evenness = diagonal();
    if (evenness == Evenness::not_finite) return {0, 0.0, false, false};
    const Index straight = evenness == Evenness::even ? m_ : limit;  // steps before the first turned one
    const Row<T> diag = pool_.diag, f = pool_.f, g = pool_.g;
    Direction direction;
    Index n_pairs = 0, i = 0;
    int age = 0;  // turned steps since the last along a pair
    double scale = 1.0, lowest = 0.0, flatness = 0.0;
    Key<T> alarm = 0;
    bool scans = true;
    while (true) {
        if (scans) {
            const auto [best, up, low] = extremes();
            double aim = tol * scale * (n_pairs > straight ? TIGHTER : 1.0);
            if (!(up - low >= aim)) break;
            if (!(up - low < INFINITE)) return {n_pairs, lowest, false, false};
            i = best;
            // Centre and scale anew, so that the packed keys resolve what is left of the gap.
            const double factor = 1.0 / (up - low);
            centre_and_scale(0.5 * (up + low), factor);
            scale *= factor;
            aim *= factor * (1.0 + 1e-6);
            alarm = bits_of(static_cast<T>(larger(aim, RESCALE)));
        }
        const auto [partner, widest] =
            flatness > 0.0 ? best_partner<true>(i, static_cast<T>(flatness)) : best_partner<false>(i, T{0});
        if (widest <= alarm && !scans) {
            scans = true;
            continue;
        }
        if (n_pairs >= limit) break;
        scans = false;
        const Index j = partner & index_;
        if (pool_.may_fall[j] != 0) break;  // what is gained is zero in this precision; there may be no such row
        ++n_pairs;
        if (n_pairs % LOOK == 0 && watch.ends()) return {n_pairs, lowest, true, true};

        const double curvature = static_cast<double>(diag[i]) + diag[j] - 2.0 * pool_.K[i][j];
        const double size = magnitude(diag[i] + pool_.shift) + magnitude(diag[j] + pool_.shift) + TAU;
        lowest = smaller(lowest, curvature / size);
        const double slope = static_cast<double>(f[i]) - f[j], bend = static_cast<double>(g[i]) - g[j];
        double turn = -bend * flatness, flatter = curvature + bend * turn, step = 0.0;
        bool is_turned = flatness > 0.0 && flatter > FLATTEST * curvature;
        if (is_turned) {
            step = slope / (flatter * scale);
            direction.turn_to(i, j, turn);
            is_turned = stays_free(direction, step);
        }
        if (is_turned) {
            for (int k = 0; k < direction.size; ++k) pool_.beta[direction.who[k]] += step * direction.share[k];
            ++age;
        } else {
            turn = 0.0;
            flatter = larger(curvature, TAU);
            age = 0;
            step = slope / (flatter * scale);
            if (!(flatter < INFINITE && magnitude(step) < INFINITE)) return {n_pairs, lowest, false, false};
            step = take_step(i, j, step);
            direction.size = 0;
            direction.turn_to(i, j, 0.0);
        }
        mark(i);
        mark(j);
        const bool is_inside = pool_.may_rise[i] == 0 && pool_.may_fall[j] == 0;
        const bool will_turn = n_pairs > straight && age < RESTART && flatter > TAU && is_inside;
        flatness = will_turn ? 1.0 / flatter : 0.0;
        const T down = static_cast<T>(step * scale);
        i = (will_turn || is_turned ? move_and_rank<true>(i, j, static_cast<T>(turn), down)
                                    : move_and_rank<false>(i, j, T{0}, down)) &
            index_;
        scans = pool_.may_rise[i] != 0;  // nobody may rise, so that i may be a place that pads the pool
    }
    return {n_pairs, lowest, false, true};
}

}  // namespace kernelwise::KERNELWISE_TARGET
