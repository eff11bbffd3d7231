// Kernel values exp(−s·D) of distances, in double precision and in one pass.
#pragma once

#include "problem.hpp"

namespace kernelwise::KERNELWISE_TARGET {

// e^x to an ulp or two; zero for what would be a denormal number, on which arithmetic takes a hundredfold.
KERNELWISE_INLINE double exponential(double x) {
    constexpr double LOG2_E = 0x1.71547652b82fep+0, LN2_HIGH = 0x1.62e42fefa0000p-1, LN2_LOW = 0x1.cf79abc9e3b3ap-40;
    constexpr double ROUND = 0x1.8p52;  // added to a number, leaves the integer next to it in the lowest bits
    constexpr double LEAST = -708.0, MOST = 709.0;  // beyond the latter, infinity
    const double limited = x > LEAST ? (x < MOST ? x : MOST) : LEAST;
    const double shifted = limited * LOG2_E + ROUND, n = shifted - ROUND;
    const double r = (limited - n * LN2_HIGH) - n * LN2_LOW;  // |r| ≤ ½ ln 2
    // Taylor's series: the first term left out is below 1e-17.
    double value = 1.0 / 6227020800.0;
    value = value * r + 1.0 / 479001600.0;
    value = value * r + 1.0 / 39916800.0;
    value = value * r + 1.0 / 3628800.0;
    value = value * r + 1.0 / 362880.0;
    value = value * r + 1.0 / 40320.0;
    value = value * r + 1.0 / 5040.0;
    value = value * r + 1.0 / 720.0;
    value = value * r + 1.0 / 120.0;
    value = value * r + 1.0 / 24.0;
    value = value * r + 1.0 / 6.0;
    value = value * r + 0.5;
    value = value * r + 1.0;
    value = value * r + 1.0;
    // Times two to the power n: a sum of exponents.
    const std::uint64_t bits =
        __builtin_bit_cast(std::uint64_t, value) + (__builtin_bit_cast(std::uint64_t, shifted) << 52);
    const double found = x > LEAST ? (x < MOST ? __builtin_bit_cast(double, bits) : INFINITE) : 0.0;
    return x == x ? found : x;
}

// out = exp(−scale·D); D may be ``out`` itself.
inline void decay(Row<const double> D, double scale, Row<double> out) {
    const double* const from = D.first;
    double* const to = out.first;
#pragma omp simd
    for (Index k = 0; k < D.size; ++k) to[k] = exponential(-scale * from[k]);
}

}  // namespace kernelwise::KERNELWISE_TARGET
