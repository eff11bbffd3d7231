// What Python sees of the native core: `kernelwise._native`. The loops run without Python's lock.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <tuple>

#include "path_problem.hpp"
#include "processor.hpp"

namespace kernelwise {

void broken(const char* what, const char* file, int line) {
    std::fprintf(stderr, "kernelwise: not true at %s:%d: %s\n", file, line, what);
    std::abort();
}

namespace {

struct Target {
    const char* name;
    const Functions* functions;
};

// Those that were compiled and that this processor has, the best one last.
std::vector<Target> targets() {
    std::vector<Target> found{{"baseline", &baseline::functions}};
#if defined(KERNELWISE_X86)
    const Processor processor = this_processor();
    if (processor >= Processor::avx2) found.push_back({"avx2", &avx2::functions});
    if (processor >= Processor::avx512) found.push_back({"avx512", &avx512::functions});
#endif
    return found;
}

// The best target, or the one that the environment variable KERNELWISE_TARGET names.
Target choose_target() {
    const std::vector<Target> all = targets();
    const char* const asked = std::getenv("KERNELWISE_TARGET");
    if (asked == nullptr || *asked == '\0') return all.back();
    std::string names;
    for (const Target& one : all) {
        if (std::string(one.name) == asked) return one;
        names += (names.empty() ? "" : ", ") + std::string(one.name);
    }
    throw std::invalid_argument("KERNELWISE_TARGET is '" + std::string(asked) + "', but this processor can run: " +
                                names + ". Set it to one of these, or leave it out.");
}

const Target& chosen() {
    static const Target found = choose_target();
    return found;
}

}  // namespace

const Functions& chosen_functions() { return *chosen().functions; }
const char* chosen_target() { return chosen().name; }

namespace {

// Memory of a pool for Python: `BoxQP` keeps it from one solve to the next.
template <class T>
class OwnPool {
public:
    // A pool of at most n variables. With K, which has the rows of `width_of_square`, all are in it, without a copy.
    OwnPool(Index n, std::optional<Matrix<T>> K) {
        const Index stride = K ? static_cast<Index>(K->shape(1)) : pool_stride(n);
        need(!K || (static_cast<Index>(K->shape(0)) == n && stride >= pool_stride(n) && stride % 16 == 0),
             "A Gram matrix that is a pool needs a multiple of 16 columns, and at least " +
                 std::to_string(pool_stride(n)) + ".");
        if (!K) K_.reset(n, stride);
        gram_ = K;
        rows_.reset(Pool<T>::N_ROWS, stride);
        room_.reset(Pool<T>::N_ROOM, stride);
        places_.reset(Pool<T>::N_PLACES, stride);
        pool.use(K ? view(*K) : K_.rows(), rows_.rows(), room_.rows(), places_.rows());
        if (K) {
            pool.size = n;
            for (Index t = 0; t < n; ++t) pool.members[t] = static_cast<Place>(t);
        }
    }
    Pool<T> pool;
    Index n_variables() const { return pool.K.count; }

private:
    std::optional<Matrix<T>> gram_;  // kept alive
    python::Buffer<T> K_, rows_;
    python::Buffer<double> room_;
    python::Buffer<Place> places_;
};

template <class Gram, class T>
std::tuple<Index, bool> solve_path(Matrix<const Gram> K, Vector<const double> p, Vector<double> beta, Vector<double> f,
                                   Vector<const double> lo, Vector<const double> hi, Vector<const double> Cs,
                                   Index start, double tol, Index limit, OwnPool<T>& own, double shift,
                                   Matrix<double> kept, Table table) {
    const Problem<Gram> problem{view(K), view(p), view(beta), view(f), view(lo), view(hi)};
    const Index n = problem.size();
    need_size(n, beta, f, lo, hi);
    need(problem.K.count == n && problem.K.stride >= n, "K has the shape (" + std::to_string(problem.K.count) + ", " +
                                                            std::to_string(problem.K.stride) + "), and there are " +
                                                            std::to_string(n) + " variables.");
    need(own.n_variables() == n, "The pool is for " + std::to_string(own.n_variables()) + " variables, and there are " +
                                     std::to_string(n) + ".");
    need(table.shape(0) == Cs.size() && 0 <= start && start <= static_cast<Index>(Cs.size()), "A row for each C.");
    need(kept.shape(0) == 0 || (kept.shape(0) == Cs.size() && static_cast<Index>(kept.shape(1)) == n),
         "Coefficients have a row for each C, or none.");
    own.pool.shift = shift;
    Interrupt interrupt;
    const Watch watch = interrupt.watch();
    PathEnd end{start, Ending::solved};
    {
        nb::gil_scoped_release without_lock;
        const auto run = std::get<SolvePath<Gram, T>>(chosen_functions().path);
        end =
            run(problem, own.pool, PathOfC{view(Cs), start, view(kept), figures_of(table)}, Rules{tol, limit, &watch});
    }
    interrupt.raise();
    return {end.n_done, end.ending == Ending::solved};
}

// Whether most samples are copies: which of them is free is arbitrary, and guesses go in circles. Samples on a grid of
// whole numbers share distances to one sample, but hardly to all of three.
template <class Gram>
bool has_copies(Matrix<const Gram> K) {
    constexpr double DISTINCT = 0.3;  // of a row of K: with fewer distinct values most samples are copies
    const Rows<const Gram> rows = view(K);
    const Index n = rows.count, step = larger(n / 3, Index{1});
    need(rows.stride >= n, "K must have a column for each of its rows.");
    const double enough = DISTINCT * static_cast<double>(n);
    using Three = std::tuple<double, double, double>;
    std::vector<Three> columns(static_cast<std::size_t>(n));
    std::vector<double> row(static_cast<std::size_t>(n));
    const auto rounded = [&](Index i, Index k) { return std::nearbyint(static_cast<double>(rows[i][k]) * 1e9); };
    nb::gil_scoped_release without_lock;
    // Columns differ where one row does, and one row is sorted in a tenth of the time.
    for (Index i = 0; i < smaller(3 * step, n); i += step) {
        for (Index k = 0; k < n; ++k) {
            row[k] = rounded(i, k);
            if (!is_finite_number(row[k])) return false;  // the solver says so
        }
        std::sort(row.begin(), row.end());
        if (static_cast<double>(std::unique(row.begin(), row.end()) - row.begin()) >= enough) return false;
    }
    const Index second = smaller(step, n - 1), third = smaller(2 * step, n - 1);
    for (Index k = 0; k < n; ++k) columns[k] = {rounded(0, k), rounded(second, k), rounded(third, k)};
    std::sort(columns.begin(), columns.end());
    return static_cast<double>(std::unique(columns.begin(), columns.end()) - columns.begin()) < enough;
}

// Class indices by the votes of pairs (0, 1), (0, 2), …, of decision values (n_pairs, n) whose positive sign is the
// first class of a pair. Between classes of equal votes the sums of their values decide: scikit-learn's votes + s /
// (3 (|s| + 1)), of which the first of the largest wins.
void vote(Matrix<const double> decision, Index n_classes, Vector<std::int32_t> found) {
    const Rows<const double> values = view(decision);
    need(n_classes > 2 && n_classes < 30'000 && values.count == n_classes * (n_classes - 1) / 2,
         "Each pair of classes has a row of decision values.");
    need(static_cast<Index>(found.size()) == values.stride, "Each sample has a place for its class.");
    constexpr Index BLOCK = 64;  // samples whose sums stay next to the core
    std::vector<double> memory(static_cast<std::size_t>(2 * n_classes * BLOCK));
    const Rows<double> votes{memory.data(), n_classes, BLOCK},
        sums{memory.data() + n_classes * BLOCK, n_classes, BLOCK};
    std::int32_t* const out = found.data();
    nb::gil_scoped_release without_lock;
    for (Index first = 0; first < values.stride; first += BLOCK) {
        const Index n = smaller(BLOCK, values.stride - first);
        std::fill(memory.begin(), memory.end(), 0.0);
        Index pair = 0;
        for (Index a = 0; a < n_classes; ++a)
            for (Index b = a + 1; b < n_classes; ++b, ++pair) {
                const double* const value = values[pair].first + first;
                double *const votes_a = votes[a].first, *const votes_b = votes[b].first;
                double *const sums_a = sums[a].first, *const sums_b = sums[b].first;
                for (Index k = 0; k < n; ++k) {
                    votes_a[k] += value[k] >= 0.0 ? 1.0 : 0.0;
                    votes_b[k] += value[k] < 0.0 ? 1.0 : 0.0;
                    sums_a[k] += value[k];
                    sums_b[k] -= value[k];
                }
            }
        for (Index k = 0; k < n; ++k) {
            double best = -INFINITE;
            out[first + k] = 0;
            for (Index a = 0; a < n_classes; ++a) {
                const double sum = sums[a][k], value = votes[a][k] + sum / (3.0 * (magnitude(sum) + 1.0));
                if (value > best) {
                    best = value;
                    out[first + k] = static_cast<std::int32_t>(a);
                }
            }
        }
    }
}

template <class Real>
Rows<const Real> panels_of(const Matrix<const Real>& left, const Cube<const Real>& panels) {
    need(panels.shape(1) == left.shape(1) && panels.shape(2) == KERNEL_WIDTH,
         "A panel has a row of 64 numbers for each column of the rows.");
    return {panels.data(), static_cast<Index>(panels.shape(0)), static_cast<Index>(panels.shape(1)) * KERNEL_WIDTH};
}

using Shapes = nb::ndarray<const Index, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;
template <class Real>
using Powers = nb::ndarray<const Real, nb::shape<-1, -1>, nb::c_contig, nb::device::cpu>;

template <class Real>
KernelTerms<Real> terms_of(const Shapes& shapes, const Powers<Real>& powers, const Matrix<const Real>& left) {
    const KernelTerms<Real> terms{
        {shapes.data(), static_cast<Index>(shapes.shape(0)), 3},
        {powers.data(), static_cast<Index>(powers.shape(0)), static_cast<Index>(powers.shape(1))}};
    need(terms.powers.stride >= 2, "A power has a scale and a weight for each kernel.");
    const Index n_columns = static_cast<Index>(left.shape(1));
    Index columns_left = n_columns, powers_left = terms.powers.count;
    for (Index t = 0; t < terms.shapes.count; ++t) {
        const Row<const Index> shape = terms.shapes[t];
        need(PRODUCT <= shape[0] && shape[0] <= CITY_BLOCK, "A term is a product, 0, squares, 1, or a city block, 2.");
        // Compared with what is left: a sum of them could overflow.
        need(0 <= shape[1] && shape[1] <= columns_left && 0 <= shape[2] && shape[2] <= powers_left,
             "The terms have more columns or powers than there are.");
        columns_left -= shape[1];
        powers_left -= shape[2];
    }
    need(columns_left == 0 && powers_left == 0, "The terms must have all columns and powers.");
    return terms;
}

template <class Real>
void fill_kernel(Shapes shapes, Powers<Real> powers, Matrix<const Real> left, Cube<const Real> panels,
                 Matrix<Real> out) {
    const KernelTerms<Real> terms = terms_of(shapes, powers, left);
    const Rows<const Real> columns = panels_of(left, panels);
    need(KERNEL_ROWS <= static_cast<Index>(out.shape(0)) && out.shape(0) <= left.shape(0) &&
             static_cast<Index>(out.shape(1)) / (terms.powers.stride - 1) >= columns.count * KERNEL_WIDTH,
         std::to_string(left.shape(0)) + " rows and " + std::to_string(panels.shape(0)) +
             " panels do not fit the array.");
    nb::gil_scoped_release without_lock;
    std::get<FillKernel<Real>>(chosen_functions().fill_kernel)(terms, view(left), columns, view(out));
}

void add_kernel(Shapes shapes, Powers<float> powers, Matrix<const float> left, Vector<const float> change,
                Cube<const float> panels, Vector<double> total) {
    const KernelTerms<float> terms = terms_of(shapes, powers, left);
    const Rows<const float> columns = panels_of(left, panels);
    need(terms.powers.stride == 2, "Sums are those of one kernel.");
    need(left.shape(0) % KERNEL_ROWS == 0 && change.size() == left.shape(0) &&
             static_cast<Index>(total.size()) == columns.count * KERNEL_WIDTH,
         "There must be a factor for each row, four rows or a multiple, and a sum for each column.");
    nb::gil_scoped_release without_lock;
    chosen_functions().add_kernel(terms, view(left), view(change), columns, view(total));
}

void decay(Matrix<const double> D, double scale, Matrix<double> out) {
    need(D.shape(0) == out.shape(0) && D.shape(1) == out.shape(1), "Each distance has a place for its kernel value.");
    const Row<const double> distances{D.data(), static_cast<Index>(D.size())};
    const Row<double> values{out.data(), static_cast<Index>(out.size())};
    nb::gil_scoped_release without_lock;
    chosen_functions().decay(distances, scale, values);
}

Index fit_sigmoids(Matrix<const double> f, Matrix<const double> target, Matrix<const double> w, Matrix<double> points) {
    for (const auto* one : {&target, &w})
        need(one->shape(0) == f.shape(0) && one->shape(1) == f.shape(1),
             "Each decision value has a target and a weight.");
    need(points.shape(0) == f.shape(0) && points.shape(1) == 2, "Each problem has two numbers to start from.");
    nb::gil_scoped_release without_lock;
    return chosen_functions().fit_sigmoids(view(f), view(target), view(w), view(points));
}

void from_products(Matrix<double> G, Vector<const double> norms_x, Vector<const double> norms_y, double rounding) {
    need(norms_x.size() == G.shape(0) && norms_y.size() == G.shape(1), "Each row and column has a norm.");
    nb::gil_scoped_release without_lock;
    chosen_functions().from_products(view(G), view(norms_x), view(norms_y), rounding);
}

void city_block(Matrix<const double> rows, Matrix<const double> columns, Matrix<double> D, Index first) {
    need(rows.shape(1) == columns.shape(0) && D.shape(0) == rows.shape(0) && D.shape(1) == columns.shape(1) &&
             first >= 0,
         "Rows, columns and distances do not fit each other.");
    nb::gil_scoped_release without_lock;
    chosen_functions().city_block(view(rows), view(columns), view(D), first);
}

void mirror(Matrix<double> D, Index first, Index last) {
    need(D.shape(0) == D.shape(1) && 0 <= first && first <= last && last <= static_cast<Index>(D.shape(0)),
         "D must be square, and have the rows.");
    nb::gil_scoped_release without_lock;
    chosen_functions().mirror(view(D), first, last);
}

void add_differences(Matrix<const double> rows, Matrix<const double> columns, Matrix<const double> V,
                     Matrix<double> sums) {
    need(rows.shape(1) == columns.shape(0) && V.shape(0) == rows.shape(0) && V.shape(1) == columns.shape(1) &&
             sums.shape(0) == columns.shape(0) && sums.shape(1) == columns.shape(1),
         "Rows, columns, weights and sums do not fit each other.");
    nb::gil_scoped_release without_lock;
    chosen_functions().add_differences(view(rows), view(columns), view(V), view(sums));
}

void add_signs(Matrix<const double> rows, Matrix<const double> others, Matrix<const double> V, Matrix<double> sums) {
    need(rows.shape(1) == others.shape(1) && V.shape(0) == rows.shape(0) && V.shape(1) == others.shape(0) &&
             sums.shape(0) == rows.shape(0) && sums.shape(1) == rows.shape(1),
         "Rows, weights and sums do not fit each other.");
    nb::gil_scoped_release without_lock;
    chosen_functions().add_signs(view(rows), view(others), view(V), view(sums));
}

Pairs pairs_of(const Matrix<const double>& G, const Vector<const double>& norms_x, const Vector<const double>& norms_y,
               double rounding, double per_bottom, bool upper) {
    need(norms_x.size() == G.shape(0) && norms_y.size() == G.shape(1), "Each row and column has a norm.");
    return {view(G), view(norms_x), view(norms_y), rounding, per_bottom, upper};
}

void count_pairs(Matrix<const double> G, Vector<const double> norms_x, Vector<const double> norms_y, double rounding,
                 double per_bottom, bool upper, Matrix<std::uint64_t> words) {
    const Pairs pairs = pairs_of(G, norms_x, norms_y, rounding, per_bottom, upper);
    need(words.shape(0) > 0 && words.shape(1) == 2, "Each bin has two words.");
    nb::gil_scoped_release without_lock;
    chosen_functions().count(pairs, view(words));
}

void weigh_pairs(Matrix<const double> G, Vector<const double> norms_x, Vector<const double> norms_y, double rounding,
                 double per_bottom, bool upper, Vector<const double> weights_x, Vector<const double> weights_y,
                 Matrix<double> moments) {
    const Pairs pairs = pairs_of(G, norms_x, norms_y, rounding, per_bottom, upper);
    need(moments.shape(0) > 0 && moments.shape(1) == 4, "Each bin has four moments.");
    need(weights_x.size() == G.shape(0) && weights_y.size() == G.shape(1), "Each row and column has a weight.");
    nb::gil_scoped_release without_lock;
    chosen_functions().weigh(pairs, view(weights_x), view(weights_y), view(moments));
}

Factors factors_of(const Cube<const double>& U, const Cube<const double>& V, const Matrix<const double>& beta,
                   const Vector<const double>& nodes, const Vector<const double>& weights) {
    need(U.shape(1) == beta.shape(1) && V.shape(1) == beta.shape(1) && V.shape(2) == U.shape(2),
         "Factors of rows and of absent columns have one number of support vectors and columns.");
    need(U.shape(1) > 0 && U.shape(2) > 0 && V.shape(0) > 0,
         "There are no support vectors, columns or absent factors.");
    need(nodes.size() == weights.size() && nodes.size() > 0, "Each node has a weight.");
    return {view(U), view(V), view(beta), view(nodes), view(weights)};
}

void shapley_values(Cube<const double> U, Cube<const double> V, Matrix<const double> beta, Vector<const double> nodes,
                    Vector<const double> weights, Cube<double> out) {
    const Factors factors = factors_of(U, V, beta, nodes, weights);
    need(out.shape(0) == U.shape(0) && out.shape(1) == U.shape(2) && out.shape(2) == beta.shape(0),
         "Each row, column and machine has a value.");
    nb::gil_scoped_release without_lock;
    chosen_functions().add_values(factors, view(out));
}

void shapley_interactions(Cube<const double> U, Cube<const double> V, Matrix<const double> beta,
                          Vector<const double> nodes, Vector<const double> weights,
                          nb::ndarray<double, nb::ndim<4>, nb::c_contig, nb::device::cpu> out) {
    const Factors factors = factors_of(U, V, beta, nodes, weights);
    need(out.shape(0) == U.shape(0) && out.shape(1) == U.shape(2) && out.shape(2) == U.shape(2) &&
             out.shape(3) == beta.shape(0),
         "Each row, pair of columns and machine has a value.");
    const Rows<double> sums{out.data(), static_cast<Index>(out.shape(0) * out.shape(1) * out.shape(2)),
                            static_cast<Index>(out.shape(3))};
    nb::gil_scoped_release without_lock;
    chosen_functions().add_interactions(factors, sums);
}

// A function whose arguments have these names. Arrays, which have plain names, are taken as they are, or refused: what
// is written to a converted copy would be lost.
auto named(const char* name) { return nb::arg(name).noconvert(); }
auto named(nb::arg number) { return number; }

template <class Function, class... Names>
void define(nb::module_& module, const char* name, Function function, Names... names) {
    module.def(name, function, named(names)...);
}

template <class T>
void define_pool(nb::module_& module, const char* name) {
    using namespace nb::literals;
    using Own = OwnPool<T>;
    nb::class_<Own>(module, name)
        .def(nb::init<Index, std::optional<Matrix<T>>>(), "n"_a, "K"_a.noconvert().none() = nb::none())
        .def_prop_ro("size", [](const Own& own) { return own.pool.size; })
        .def_prop_ro("members", [](const Own& own) {
            return std::vector<Index>(own.pool.members.first, own.pool.members.first + own.pool.size);
        });
}

template <class Gram, class T>
void define_solve_path(nb::module_& module) {
    using namespace nb::literals;
    define(module, "solve_path", &solve_path<Gram, T>, "K", "p", "beta", "f", "lo", "hi", "Cs", "start"_a, "tol"_a,
           "limit"_a, "pool", "shift"_a, "kept", "table");
}

}  // namespace
}  // namespace kernelwise

NB_MODULE(_native, module) {
    using namespace kernelwise;
    using namespace nb::literals;
    module.attr("target") = chosen_target();
    std::vector<std::string> names;
    for (const Target& one : targets()) names.emplace_back(one.name);
    module.attr("targets") = nb::cast(names);
    module.attr("HAIR") = HAIR;
    module.attr("NO_OFFSET") = NO_OFFSET;
    module.attr("ROWS") = KERNEL_ROWS;
    module.attr("WIDTH") = KERNEL_WIDTH;
    define_pool<float>(module, "SinglePool");
    define_pool<double>(module, "DoublePool");
    define_solve_path<double, float>(module);
    define_solve_path<double, double>(module);
    define_solve_path<float, float>(module);
    define_solve_path<float, double>(module);
    define_path_problem(module);
    define(module, "patience", &patience, "n"_a, "n_free"_a, "may_guess"_a);
    define(module, "has_copies", &has_copies<double>, "K");
    define(module, "has_copies", &has_copies<float>, "K");
    define(module, "vote", &vote, "decision", "n_classes"_a, "found");
    define(module, "fill_kernel", &fill_kernel<float>, "shapes", "powers", "left", "panels", "out");
    define(module, "fill_kernel", &fill_kernel<double>, "shapes", "powers", "left", "panels", "out");
    define(module, "add_kernel", &add_kernel, "shapes", "powers", "left", "change", "panels", "total");
    define(module, "decay", &decay, "D", "scale"_a, "out");
    define(module, "fit_sigmoids", &fit_sigmoids, "f", "target", "w", "points");
    define(module, "from_products", &from_products, "G", "norms_x", "norms_y", "rounding"_a);
    define(module, "city_block", &city_block, "rows", "columns", "D", "first"_a);
    define(module, "mirror", &mirror, "D", "first"_a, "last"_a);
    define(module, "add_differences", &add_differences, "rows", "columns", "V", "sums");
    define(module, "add_signs", &add_signs, "rows", "others", "V", "sums");
    define(module, "count_pairs", &count_pairs, "G", "norms_x", "norms_y", "rounding"_a, "per_bottom"_a, "upper"_a,
           "words");
    define(module, "weigh_pairs", &weigh_pairs, "G", "norms_x", "norms_y", "rounding"_a, "per_bottom"_a, "upper"_a,
           "weights_x", "weights_y", "moments");
    define(module, "shapley_values", &shapley_values, "U", "V", "beta", "nodes", "weights", "out");
    define(module, "shapley_interactions", &shapley_interactions, "U", "V", "beta", "nodes", "weights", "out");
}
