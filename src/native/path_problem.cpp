#include "path_problem.hpp"

#include <nanobind/stl/optional.h>

#include <algorithm>

namespace kernelwise {

namespace {

template <class T>
std::vector<std::remove_const_t<T>> copy_of(const Vector<T>& array) {
    return {array.data(), array.data() + array.size()};
}
template <class T>
std::vector<std::remove_const_t<T>> copy_of(const Matrix<T>& array) {
    return {array.data(), array.data() + array.size()};
}
template <class T>
Row<const T> part(const std::vector<T>& numbers, Index from, Index to) {
    return Row<const T>{numbers.data(), static_cast<Index>(numbers.size())}.part(from, to);
}

// Ends of parts that lie one behind the other: from 0 to n, and never back.
void need_ends(const Vector<const Index>& ends, Index n, const char* whose) {
    bool holds = ends.size() > 1 && ends(0) == 0 && ends(ends.size() - 1) == n;
    for (std::size_t k = 1; holds && k < ends.size(); ++k) holds = ends(k - 1) <= ends(k);
    need(holds, std::string("The ends of ") + whose + " must go from 0 to their number.");
}

template <class T>
void need_below(const std::vector<T>& numbers, Index n, const char* what) {
    for (const T number : numbers)
        need(static_cast<Index>(number) >= 0 && static_cast<Index>(number) < n,
             std::string(what) + " must be from 0 to " + std::to_string(n - 1) + ".");
}

// What is done when a scope is left, by an error, too.
template <class Work>
struct Finally {
    Work work;
    ~Finally() { work(); }
};

}  // namespace

PathProblem::PathProblem(Vector<const Place> members, Vector<const Index> member_ends, Vector<const double> lo,
                         Vector<const double> hi, Vector<const double> p, Vector<const double> turns,
                         Matrix<const double> weights, std::optional<Matrix<const double>> counts,
                         Vector<const Place> test, Vector<const Index> test_ends, Vector<const Index> answers,
                         Index n_answers)
    : members_(copy_of(members)), test_(copy_of(test)), lo_(copy_of(lo)), hi_(copy_of(hi)), p_(copy_of(p)),
      weights_(copy_of(weights)), counts_(counts ? copy_of(*counts) : std::vector<double>{}),
      answers_(copy_of(answers)), n_answers_(n_answers) {
    const Index n_folds = static_cast<Index>(weights.shape(0)), n = static_cast<Index>(weights.shape(1));
    const Index n_members = static_cast<Index>(members.size()), n_machines = static_cast<Index>(turns.size());
    need_size(n_members, lo, hi, p);
    need(static_cast<Index>(member_ends.size()) == n_machines + 1, "Each machine has an end of its members.");
    need(static_cast<Index>(test_ends.size()) == n_folds + 1, "Each fold has an end of what it holds out.");
    need(answers.size() == test.size(), "Each sample that is held out has a place for its answer.");
    need(!counts || (counts->shape(0) == weights.shape(0) && counts->shape(1) == weights.shape(1)),
         "Counts have the shape of the weights.");
    need_ends(member_ends, n_members, "members");
    need_ends(test_ends, static_cast<Index>(test.size()), "samples that are held out");
    need_below(members_, n, "Members");
    need_below(test_, n, "Samples that are held out");
    need_below(answers_, n_answers, "Places of answers");
    Index most = 1;
    for (Index m = 0; m < n_machines; ++m) {
        const Index begin = member_ends(m), end = member_ends(m + 1);
        need(begin < end, "A machine has no members.");
        machines_.push_back({part(members_, begin, end), part(lo_, begin, end), part(hi_, begin, end),
                             part(p_, begin, end), turns(m), begin});
        most = std::max(most, end - begin);
    }
    largest_.assign(static_cast<std::size_t>(n), 0.0);
    for (Index s = 0; s < n_folds; ++s) {
        const Row<const double> weight = part(weights_, s * n, (s + 1) * n);
        for (Index k = 0; k < n; ++k) largest_[k] = std::max(largest_[k], weight[k]);
        folds_.push_back({weight, counts ? part(counts_, s * n, (s + 1) * n) : Row<const double>{},
                          part(test_, test_ends(s), test_ends(s + 1)), part(answers_, test_ends(s), test_ends(s + 1))});
    }
    setup_ = {{machines_.data(), n_machines}, {folds_.data(), n_folds}, {largest_.data(), n}, n, most};
}

template <class Gram>
PathProblem::Memory<Gram>& PathProblem::memory(Index n_threads) {
    const auto& functions = std::get<FoldFunctions<Gram>>(chosen_functions().folds);
    auto& found = std::get<Memory<Gram>>(memory_);
    while (static_cast<Index>(found.workers.size()) < n_threads) found.workers.push_back(functions.make_worker(setup_));
    while (static_cast<Index>(found.shared.size()) < n_threads) found.shared.push_back(functions.make_shared());
    return found;
}

template <class Gram>
void PathProblem::forget() {
    const auto& functions = std::get<FoldFunctions<Gram>>(chosen_functions().folds);
    auto& found = std::get<Memory<Gram>>(memory_);
    for (void* worker : found.workers) functions.drop_worker(worker);
    for (void* shared : found.shared) functions.drop_shared(shared);
    found = {};
}

PathProblem::~PathProblem() {
    forget<double>();
    forget<float>();
}

template <class Gram>
void PathProblem::solve(Matrix<const Gram> K, Vector<const double> Cs, Vector<const Index> rank,
                        Vector<const Index> folds, const How& how, const Results& results, nb::object callback) {
    const Index n_Cs = static_cast<Index>(Cs.size()), n_machines = setup_.machines.size, n_folds = setup_.folds.size;
    const Index n_members = static_cast<Index>(members_.size());
    need(static_cast<Index>(K.shape(0)) == setup_.n && static_cast<Index>(K.shape(1)) == setup_.n,
         "K has the shape (" + std::to_string(K.shape(0)) + ", " + std::to_string(K.shape(1)) + "), and there are " +
             std::to_string(setup_.n) + " samples.");
    need(user_.load() != std::this_thread::get_id(), "A callback cannot solve the problem that it is called from.");
    need(n_Cs > 0 && rank.size() == Cs.size(), "Each C has a rank.");
    std::vector<bool> is_taken(static_cast<std::size_t>(n_Cs));
    for (Index c = 0; c < n_Cs; ++c) {
        need(0 <= rank(c) && rank(c) < n_Cs && !is_taken[rank(c)], "Ranks are the numbers of the values of C.");
        need(c == 0 || Cs(c - 1) <= Cs(c), "The values of C must increase.");
        is_taken[rank(c)] = true;
    }
    for (std::size_t k = 0; k < folds.size(); ++k) need(0 <= folds(k) && folds(k) < n_folds, "There is no such fold.");
    const auto has_shape = [](const auto& array, std::initializer_list<Index> shape) {
        std::size_t axis = 0;
        for (const Index size : shape)
            if (static_cast<Index>(array.shape(axis++)) != size) return false;
        return true;
    };
    need(has_shape(results.decision, {n_machines, n_Cs, n_answers_}) &&
             has_shape(results.tables, {n_folds, n_machines, n_Cs, 8}) &&
             has_shape(results.n_done, {n_folds, n_machines}) && has_shape(results.last_C, {n_folds, n_machines}) &&
             has_shape(results.beta, {n_folds, n_members}) && has_shape(results.f, {n_folds, n_members}),
         "The results need room for each fold, machine and C.");
    if (how.goes_on)
        for (std::size_t k = 0; k < folds.size(); ++k)
            for (Index m = 0; m < n_machines; ++m)
                need(results.last_C(folds(k), m) > 0.0, "Each machine goes on from the solution for some C.");
    Asked<Gram> asked{view(K),
                      view(Cs),
                      view(rank),
                      how.tol,
                      how.max_iter,
                      how.patience,
                      how.may_guess,
                      how.is_whole && how.has_seed && !how.goes_on,
                      how.goes_on,
                      view(results.decision),
                      figures_of(results.tables),
                      {results.n_done.data(), n_folds * n_machines},
                      {results.last_C.data(), n_folds * n_machines},
                      view(results.beta),
                      view(results.f),
                      nullptr};
    const Row<const Index> some = view(folds);
    Index n_reported = 0;
    const Index n_results = some.size * n_machines;
    Crew::Report report;
    if (!callback.is_none()) report = [&] { callback(++n_reported, n_results); };
    Crew crew(how.n_threads);
    const auto& functions = std::get<FoldFunctions<Gram>>(chosen_functions().folds);
    bool is_done = true, is_finite = false;
    {
        nb::gil_scoped_release without_lock;
        std::lock_guard guard(is_used_);
        user_ = std::this_thread::get_id();
        const Finally leave{[&] {
            user_ = std::thread::id{};
            // Values that are not finite may stand in the memory, where they would pad the next pool.
            if (!is_finite) forget<Gram>();
        }};
        auto& [workers, shared] = memory<Gram>(std::max(how.n_threads, Index{1}));
        const auto with_watch = [&](const Watch& watch) {
            Asked<Gram> own = asked;
            own.watch = &watch;
            return own;
        };
        if (!how.is_whole) {
            is_done = crew.run(
                n_results,
                [&](Index thread, Index task, const Watch& watch) {
                    const Index m = task % n_machines, s = some[task / n_machines];
                    return functions.solve(workers[thread], with_watch(watch), m, s, nullptr);
                },
                report);
        } else {
            // As many machines at a time as there are threads: the folds of each share its part of K and its seed.
            const Index at_once = static_cast<Index>(shared.size());
            for (Index first = 0; is_done && first < n_machines; first += at_once) {
                const Index n = std::min(at_once, n_machines - first);
                is_done = crew.run(n,
                                   [&](Index thread, Index task, const Watch& watch) {
                                       return functions.prepare(workers[thread], with_watch(watch), first + task,
                                                                shared[task]);
                                   },
                                   {});
                if (!is_done) break;
                is_done = crew.run(
                    n * some.size,
                    [&](Index thread, Index task, const Watch& watch) {
                        const Index k = task / some.size, s = some[task % some.size];
                        return functions.solve(workers[thread], with_watch(watch), first + k, s, shared[k]);
                    },
                    report);
            }
        }
        is_finite = is_done;
        for (const Figures& figures : asked.tables) is_finite = is_finite && figures.gap == figures.gap;
    }
    if (!is_done) crew.interrupt.raise();
}

void define_path_problem(nb::module_& module) {
    using namespace nb::literals;
    const auto define_solve = [](auto& cls, auto kind) {
        using Gram = decltype(kind);
        cls.def(
            "solve",
            [](PathProblem& self, Matrix<const Gram> K, Vector<const double> Cs, Vector<const Index> rank,
               Vector<const Index> folds, double tol, Index max_iter, double patience, bool may_guess, bool is_whole,
               bool has_seed, bool goes_on, Index n_threads, Cube<double> decision,
               nb::ndarray<double, nb::ndim<4>, nb::c_contig, nb::device::cpu> tables, Matrix<Index> n_done,
               Matrix<double> last_C, Matrix<double> beta, Matrix<double> f, nb::object callback) {
                const PathProblem::How how{tol, max_iter, patience, may_guess, is_whole, has_seed, goes_on, n_threads};
                const PathProblem::Results results{decision, tables, n_done, last_C, beta, f};
                self.solve<Gram>(K, Cs, rank, folds, how, results, std::move(callback));
            },
            "K"_a.noconvert(), nb::kw_only(), "Cs"_a.noconvert(), "rank"_a.noconvert(), "folds"_a.noconvert(), "tol"_a,
            "max_iter"_a, "patience"_a, "may_guess"_a, "is_whole"_a, "has_seed"_a, "goes_on"_a, "n_threads"_a,
            "decision"_a.noconvert(), "tables"_a.noconvert(), "n_done"_a.noconvert(), "last_C"_a.noconvert(),
            "beta"_a.noconvert(), "f"_a.noconvert(), "callback"_a.none());
    };
    nb::class_<PathProblem> cls(module, "PathProblem");
    cls.def(
        nb::init<Vector<const Place>, Vector<const Index>, Vector<const double>, Vector<const double>,
                 Vector<const double>, Vector<const double>, Matrix<const double>, std::optional<Matrix<const double>>,
                 Vector<const Place>, Vector<const Index>, Vector<const Index>, Index>(),
        nb::kw_only(), "members"_a.noconvert(), "member_ends"_a.noconvert(), "lo"_a.noconvert(), "hi"_a.noconvert(),
        "p"_a.noconvert(), "turns"_a.noconvert(), "weights"_a.noconvert(), "counts"_a.noconvert().none(),
        "test"_a.noconvert(), "test_ends"_a.noconvert(), "answers"_a.noconvert(), "n_answers"_a);
    define_solve(cls, double{});
    define_solve(cls, float{});
}

}  // namespace kernelwise
