// The same functions for several kinds of processors: target.cpp is compiled for each, and the best that this
// processor has is chosen when the module is imported.
#pragma once

#include <tuple>

#include "problem.hpp"

namespace kernelwise {

template <class Gram, class T>
using SolvePath = PathEnd (*)(const Problem<Gram>&, Pool<T>&, const PathOfC&, const Rules&);

template <class Real>
using FillKernel = void (*)(const KernelTerms<Real>&, Rows<const Real> left, Rows<const Real> panels, Rows<Real> out);

// `FoldPaths` and `Shared` of one target, behind addresses: their classes are others for each target.
template <class Gram>
struct FoldFunctions {
    void* (*make_worker)(const Setup&);
    void (*drop_worker)(void* worker);
    void* (*make_shared)();
    void (*drop_shared)(void* shared);
    Ending (*prepare)(void* worker, const Asked<Gram>&, Index machine, void* shared);
    Ending (*solve)(void* worker, const Asked<Gram>&, Index machine, Index fold, const void* shared);
};

// Looked up by their types where there are several.
struct Functions {
    std::tuple<SolvePath<double, float>, SolvePath<double, double>, SolvePath<float, float>, SolvePath<float, double>>
        path;
    std::tuple<FoldFunctions<double>, FoldFunctions<float>> folds;
    std::tuple<FillKernel<float>, FillKernel<double>> fill_kernel;
    void (*add_kernel)(const KernelTerms<float>&, Rows<const float> left, Row<const float> change,
                       Rows<const float> panels, Row<double> total);
    void (*decay)(Row<const double> D, double scale, Row<double> out);
    Index (*fit_sigmoids)(Rows<const double> f, Rows<const double> target, Rows<const double> w, Rows<double> points);
    void (*from_products)(Rows<double> G, Row<const double> norms_x, Row<const double> norms_y, double rounding);
    void (*city_block)(Rows<const double> rows, Rows<const double> columns, Rows<double> D, Index first);
    void (*mirror)(Rows<double> D, Index first, Index last);
    void (*add_differences)(Rows<const double> rows, Rows<const double> columns, Rows<const double> V,
                            Rows<double> sums);
    void (*add_signs)(Rows<const double> rows, Rows<const double> others, Rows<const double> V, Rows<double> sums);
    void (*count)(const Pairs&, Rows<std::uint64_t> words);
    void (*weigh)(const Pairs&, Row<const double> weights_x, Row<const double> weights_y, Rows<double> moments);
    void (*add_values)(const Factors&, Rows<double> out);
    void (*add_interactions)(const Factors&, Rows<double> out);
};

namespace baseline {
extern const Functions functions;
}
namespace avx2 {
extern const Functions functions;
}
namespace avx512 {
extern const Functions functions;
}

// Those of the target that is used, and its name.
const Functions& chosen_functions();
const char* chosen_target();

}  // namespace kernelwise
