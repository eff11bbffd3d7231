// A cross-validation that is prepared once and solved for one kernel after the other, on threads of its own.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "arrays.hpp"
#include "targets.hpp"

namespace kernelwise {

// Ctrl-C, asked for now and then by the thread that holds no lock of Python: true once it was pressed.
class Interrupt {
public:
    // For one thread, which asks for signals itself.
    Watch watch() {
        return {[](void* self) { return static_cast<Interrupt*>(self)->is_pressed(); }, this};
    }
    bool is_pressed() {
        const auto now = std::chrono::steady_clock::now();
        if (was_pressed_ || now - last_ < std::chrono::milliseconds(50)) return was_pressed_;
        last_ = now;
        nb::gil_scoped_acquire lock;
        was_pressed_ = PyErr_CheckSignals() != 0;
        if (was_pressed_) error_ = std::make_exception_ptr(nb::python_error());
        return was_pressed_;
    }
    // Raise what the handler of the signal has raised. Called with Python's lock.
    void raise() {
        if (error_) std::rethrow_exception(error_);
    }

private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
    bool was_pressed_ = false;
    std::exception_ptr error_;
};

// Tasks 0 … n − 1, shared out to threads. The calling thread watches for Ctrl-C and reports what is done, if there are
// several; a single one does the work itself. ``work(thread, task, watch)`` says how a
// task ended; those that were solved are reported.
class Crew {
public:
    using Work = std::function<Ending(Index thread, Index task, const Watch& watch)>;
    using Report = std::function<void()>;  // with Python's lock

    explicit Crew(Index n_threads) : n_threads_(n_threads) {}

    // Called without Python's lock. False if Ctrl-C ended it; errors are raised.
    bool run(Index n_tasks, const Work& work, const Report& report) {
        if (n_threads_ < 2 || n_tasks < 2) {
            const Watch watch = interrupt.watch();
            for (Index task = 0; task < n_tasks; ++task) {
                const Ending ending = work(0, task, watch);
                if (ending == Ending::stopped || watch.ends()) return false;
                if (report && ending == Ending::solved) {
                    nb::gil_scoped_acquire lock;
                    report();
                }
            }
            return true;
        }
        std::atomic<Index> next = 0;
        std::atomic<bool> ends = false;
        std::mutex mutex;
        std::condition_variable changed;
        Index n_done = 0, n_running = smaller(n_threads_, n_tasks), n_reported = 0;
        std::exception_ptr error;
        const Watch watch{[](void* flag) { return static_cast<std::atomic<bool>*>(flag)->load(); }, &ends};
        const auto live = [&](Index thread) {
            try {
                for (Index task = next++; task < n_tasks && !ends; task = next++) {
                    const Ending ending = work(thread, task, watch);
                    if (ending == Ending::stopped) break;
                    std::lock_guard guard(mutex);
                    n_done += ending == Ending::solved;
                    changed.notify_one();
                }
            } catch (...) {
                std::lock_guard guard(mutex);
                error = std::current_exception();
                ends = true;
            }
            std::lock_guard guard(mutex);
            --n_running;
            changed.notify_one();
        };
        std::vector<std::thread> threads;
        try {
            for (Index k = 0, n = n_running; k < n; ++k) threads.emplace_back(live, k);
            std::unique_lock guard(mutex);
            while (n_running > 0 || n_reported < n_done) {
                if (n_running > 0) changed.wait_for(guard, std::chrono::milliseconds(50));
                const Index n_new = n_done - n_reported;
                n_reported = n_done;
                guard.unlock();
                if (interrupt.is_pressed()) ends = true;
                for (Index k = 0; report && k < n_new && !ends; ++k) {
                    nb::gil_scoped_acquire lock;
                    report();
                }
                guard.lock();
            }
        } catch (...) {  // of the report, or of a thread that could not be started
            ends = true;
            if (!error) error = std::current_exception();
        }
        for (std::thread& thread : threads) thread.join();
        if (error) std::rethrow_exception(error);
        return !interrupt.is_pressed() && !ends;
    }

    Interrupt interrupt;

private:
    Index n_threads_;
};

// Labels, folds and weights of a cross-validation. Arrays are copied, so that nobody can change them.
class PathProblem {
public:
    PathProblem(Vector<const Place> members, Vector<const Index> member_ends, Vector<const double> lo,
                Vector<const double> hi, Vector<const double> p, Vector<const double> turns,
                Matrix<const double> weights, std::optional<Matrix<const double>> counts, Vector<const Place> test,
                Vector<const Index> test_ends, Vector<const Index> answers, Index n_answers);
    ~PathProblem();
    PathProblem(const PathProblem&) = delete;
    PathProblem& operator=(const PathProblem&) = delete;

    // Where the results of `solve` are; shapes are (n_machines, n_Cs, n_answers), (n_folds, n_machines, n_Cs, 8),
    // (n_folds, n_machines) twice, and (n_folds, n_members) twice.
    struct Results {
        Cube<double> decision;
        nb::ndarray<double, nb::ndim<4>, nb::c_contig, nb::device::cpu> tables;
        Matrix<Index> n_done;
        Matrix<double> last_C, beta, f;
    };
    struct How {
        double tol;
        Index max_iter;
        double patience;
        bool may_guess, is_whole, has_seed, goes_on;
        Index n_threads;
    };

    template <class Gram>
    void solve(Matrix<const Gram> K, Vector<const double> Cs, Vector<const Index> rank, Vector<const Index> folds,
               const How& how, const Results& results, nb::object callback);

private:
    template <class Gram>
    struct Memory {
        std::vector<void*> workers, shared;
    };
    template <class Gram>
    Memory<Gram>& memory(Index n_threads);
    template <class Gram>
    void forget();

    std::vector<Place> members_, test_;
    std::vector<double> lo_, hi_, p_, weights_, counts_, largest_;
    std::vector<Index> answers_;
    std::vector<Machine> machines_;
    std::vector<Fold> folds_;
    Index n_answers_;
    Setup setup_;
    std::tuple<Memory<double>, Memory<float>> memory_;  // taken once, and used again for the next kernel
    std::mutex is_used_;                                // one kernel at a time
    std::atomic<std::thread::id> user_;                 // the thread that solves one now
};

void define_path_problem(nb::module_& module);

}  // namespace kernelwise
