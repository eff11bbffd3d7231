// What is solved, and what comes out: plain data that the files of all targets share.
#pragma once

#include "views.hpp"

namespace kernelwise {

// Relative: what rounding, of Σβ above all, may leave between a variable and its bound.
constexpr double HAIR = 0x1p-40;
// Of labels ±1: a mean of f that is smaller is rounding, and no offset.
constexpr double NO_OFFSET = 1e-14;
// A multiple of any vector's length, unrolled: the pool is padded to a multiple of it.
constexpr Index LANES = 64;

KERNELWISE_INLINE constexpr Index padded(Index n) { return (n + LANES - 1) / LANES * LANES; }
// Rows of a pool of n variables: they do not start at multiples of 4096 bytes, which would all share one cache set.
KERNELWISE_INLINE constexpr Index pool_stride(Index n) { return padded(n) + 16; }

// How the solution of one C was found: a row of eight numbers for NumPy. The gap is NaN if values are not finite.
struct Figures {
    double n_pairs = 0;  // pair steps
    double lowest = 0;   // curvature met, relative to the diagonal
    double gap = 0;      // LIBSVM's violation
    double offset = 0;   // mean of f over the free variables, or the middle of the gap
    double n_free = 0;
    double is_stalled = 0;  // the precision of the pool allows no more progress
    double n_support = 0;
    double objective = 0;
};
static_assert(sizeof(Figures) == 8 * sizeof(double));

// Somebody who may want long work to end: the lock of Python is not held while it runs.
struct Watch {
    bool (*wants_end)(void* whose) = nullptr;
    void* whose = nullptr;

    KERNELWISE_INLINE bool ends() const { return wants_end != nullptr && wants_end(whose); }
};

struct Rules {
    double tol;
    Index limit;  // of pair steps, for one C
    const Watch* watch;
};

// Minimise ½ βᵀKβ − pᵀβ subject to Σβ = constant, C·unit_lo ≤ β ≤ C·unit_hi; f = p − Kβ is kept up to date.
template <class Gram>
struct Problem {
    Rows<const Gram> K;
    Row<const double> p;
    Row<double> beta, f;
    Row<const double> unit_lo, unit_hi;

    KERNELWISE_INLINE Index size() const { return p.size; }
};

// Variables that may move, a copy of their part of K in the precision T, and room to work in. Rows are padded.
template <class T>
struct Pool {
    Rows<T> K;                              // padded with finite numbers
    Row<T> diag, f, may_rise, may_fall, g;  // of pair steps
    Row<double> lo, hi;                     // bounds of all variables
    Row<double> beta, lower, upper, value;  // β, its bounds and f, of the members
    Row<Place> members, list, status, old;
    Index size = 0;
    double shift = 0;  // subtracted from K in the copy

    // Rows of ``row`` are in the precision T, those of ``room`` numbers, those of ``places`` numbers of variables.
    KERNELWISE_INLINE void use(Rows<T> gram, Rows<T> row, Rows<double> room, Rows<Place> places) {
        K = gram;
        diag = row[0], f = row[1], may_rise = row[2], may_fall = row[3], g = row[4];
        lo = room[0], hi = room[1], beta = room[2], lower = room[3], upper = room[4], value = room[5];
        members = places[0], list = places[1], status = places[2], old = places[3];
    }
    static constexpr Index N_ROWS = 5, N_ROOM = 6, N_PLACES = 4;
};

enum class Ending { solved, not_solved, stopped };

struct PathEnd {
    Index n_done;   // values of C
    Ending ending;  // of the last of them
};

// Values of C, increasing; the first ``start`` of them are solved already.
struct PathOfC {
    Row<const double> Cs;
    Index start;
    Rows<double> kept;   // β for each C, or nothing
    Row<Figures> table;  // for each C
};

// Pair steps that take about as long as what they would make way for (measured, in µs): an active set method with
// ``n_free`` of ``n`` variables free if one ``may_guess`` what is free, or else a Newton step.
KERNELWISE_INLINE Index patience(Index n, Index n_free, bool may_guess) {
    constexpr double SYSTEMS = 8;  // linear systems that an active set method takes, and some more: it may fail
    const double m = static_cast<double>(n_free), all = static_cast<double>(n);
    if (!may_guess) {
        const double newton = 500 + m * (0.5 + 0.015 * m + m * m / 3e4 + 0.0012 * all);
        return static_cast<Index>(newton / (0.13 + 8e-4 * m));
    }
    const double system = 80 + m * m * (1.1e-3 + 3e-6 * m) + all * smaller(4e-4 * m, 1.2e-4 * all);
    return static_cast<Index>(SYSTEMS * system / (0.13 + 4.5e-4 * m));
}

// Labels are such that the first member is positive, whatever its class is called: the steps of the solver are then the
// same for both names of a class. ``turn`` gives decision values the sign of the labels given.
struct Machine {
    Row<const Place> members;
    Row<const double> lo, hi, p;  // bounds for C = 1 and weights of one, and the linear term of the dual
    double turn;
    Index begin;  // of its members among those of all machines
};

struct Fold {
    Row<const double> weight;  // of all samples; zero where the fold does not train on them
    Row<const double> counts;  // how many support vectors a sample is, or nothing
    Row<const Place> test;
    Row<const Index> answers;  // where the decision values of the held-out samples go
};

// What stays the same from kernel to kernel.
struct Setup {
    Row<const Machine> machines;
    Row<const Fold> folds;
    Row<const double> largest;  // weights of samples, at least those of any fold
    Index n;                    // samples
    Index most;                 // members of a machine
};

// One kernel: what is asked, and where the results go. Those of machine m on fold s have the number s·M + m.
template <class Gram>
struct Asked {
    Rows<const Gram> K;
    Row<const double> Cs;   // increasing
    Row<const Index> rank;  // where the results of each C go
    double tol;
    Index max_iter;
    double patience;        // times the pair steps that are worth linear systems
    bool may_guess;         // see `patience`
    bool has_seed;          // else each fold starts from nothing
    bool goes_on;           // from last_C, beta and f
    Rows<double> decision;  // a row for each machine and C
    Row<Figures> tables;    // for each fold, machine and C
    Row<Index> n_done;      // values of C that are solved; if not all are, the next three say where to go on
    Row<double> last_C;     // the C that beta and f belong to
    Rows<double> beta, f;   // by fold, of the members of all machines
    const Watch* watch;

    KERNELWISE_INLINE Figures& figures(Index result, Index c) const { return tables[result * Cs.size + rank[c]]; }
    KERNELWISE_INLINE Row<double> shown(Index machine, Index c) const { return decision[machine * Cs.size + rank[c]]; }
};

// Pairs of samples by their inner products and squared norms: D = ‖x‖² + ‖y‖² − 2x·y, zero where only
// ``rounding``·(‖x‖² + ‖y‖²) is left. With ``upper`` only columns right of the diagonal count.
struct Pairs {
    Rows<const double> G;
    Row<const double> norms_x, norms_y;
    double rounding, per_bottom;
    bool upper;
};

// Factors of explained rows, U[row·S + s], and of absent columns, V[absent·S + s], of S support vectors; β of machines,
// and nodes and weights of a rule on [0, 1].
struct Factors {
    Rows<const double> U, V;
    Rows<const double> beta;
    Row<const double> nodes, weights;

    KERNELWISE_INLINE Index n_support() const { return beta.stride; }
    KERNELWISE_INLINE Index n_columns() const { return U.stride; }
    KERNELWISE_INLINE Index n_absent() const { return V.count / beta.stride; }
};

// Rows of a block of kernel values, and columns of a panel of samples.
constexpr Index KERNEL_ROWS = 4, KERNEL_WIDTH = 64;

// How the exponent of a term comes from two samples.
constexpr Index PRODUCT = 0, SQUARES = 1, CITY_BLOCK = 2;

// The terms of a sum of kernels. A shape is {kind of the exponent, columns of the samples that are the term's own, powers of
// the exponent}; the powers of all terms follow each other, each a scale and a weight for every kernel.
template <class Real>
struct KernelTerms {
    Rows<const Index> shapes;
    Rows<const Real> powers;
};

}  // namespace kernelwise
