// Compiled once for each kind of processor, with KERNELWISE_TARGET as the name of its namespace.
#include "decay.hpp"
#include "distances.hpp"
#include "fold_paths.hpp"
#include "kernel_rows.hpp"
#include "shapley.hpp"
#include "sigmoids.hpp"
#include "sketch.hpp"
#include "targets.hpp"

namespace kernelwise::KERNELWISE_TARGET {

template <class Gram>
static constexpr FoldFunctions<Gram> fold_functions{
    [](const Setup& setup) -> void* { return new FoldPaths<Gram>(setup); },
    [](void* worker) { delete static_cast<FoldPaths<Gram>*>(worker); },
    []() -> void* { return new Shared<Gram>(); },
    [](void* shared) { delete static_cast<Shared<Gram>*>(shared); },
    [](void* worker, const Asked<Gram>& asked, Index machine, void* shared) {
        return static_cast<FoldPaths<Gram>*>(worker)->prepare(asked, machine, *static_cast<Shared<Gram>*>(shared));
    },
    [](void* worker, const Asked<Gram>& asked, Index machine, Index fold, const void* shared) {
        return static_cast<FoldPaths<Gram>*>(worker)->solve(asked, machine, fold,
                                                            static_cast<const Shared<Gram>*>(shared));
    },
};

extern const Functions functions;
constinit const Functions functions{
    {solve_path<double, float>, solve_path<double, double>, solve_path<float, float>, solve_path<float, double>},
    {fold_functions<double>, fold_functions<float>},
    {kernel_rows::fill<float>, kernel_rows::fill<double>},
    kernel_rows::add,
    decay,
    sigmoids::fit,
    distances::from_products,
    distances::city_block,
    distances::mirror,
    distances::add_differences,
    distances::add_signs,
    sketch::count,
    sketch::weigh,
    shapley::add_values,
    shapley::add_interactions,
};

}  // namespace kernelwise::KERNELWISE_TARGET
