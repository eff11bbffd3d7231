// Values of a Gaussian kernel in single precision, made in the registers of the processor.
//
// A value is 2^(a·b): the exponent is a product of a row of ``left`` with a column of a panel. A matrix product followed
// by exponentials writes and reads each value twice; here a block of GAUSSIAN_ROWS × (VECTORS·LANES) exponents is summed up in
// registers, turned into powers there, and stored or summed up.
#pragma once

#include "problem.hpp"

namespace kernelwise::KERNELWISE_TARGET::gaussian {

constexpr Index FLUSH = 16;  // blocks of rows that are summed up in single precision
#if defined(__AVX512F__)
constexpr int BYTES = 64, VECTORS = 4;
#elif defined(__AVX2__)
constexpr int BYTES = 32, VECTORS = 2;
#else
constexpr int BYTES = 16, VECTORS = 2;
#endif
constexpr Index AT_ONCE = VECTORS * BYTES / 4;  // columns

typedef float Floats __attribute__((vector_size(BYTES), aligned(4), may_alias));
typedef std::int32_t Bits __attribute__((vector_size(BYTES)));
typedef std::uint32_t Unsigned __attribute__((vector_size(BYTES)));

struct Block {
    Floats values[GAUSSIAN_ROWS][VECTORS];
};

KERNELWISE_INLINE Floats load(const float* at) { return *reinterpret_cast<const Floats*>(at); }
KERNELWISE_INLINE void store(Floats values, float* at) { *reinterpret_cast<Floats*>(at) = values; }

// 2^x, after moving x between −100 and 0. Below that it counts as zero wherever it is used, but products with a
// denormal number would take a hundred times as long; the greatest is that of a sample with itself.
KERNELWISE_INLINE Floats power(Floats x) {
    // The bits of negative floats count downwards: whole numbers without a sign have a minimum in one instruction.
    const Unsigned least = (Unsigned)(Floats{} - 100.0f);
    const Bits above = (Bits)((Unsigned)x > least ? least : (Unsigned)x);
    x = (Floats)(above < 0 ? above : Bits{});
    constexpr float ROUND = 0x1.8p23f;  // added to x, leaves the integer next to x in the lowest bits
    const Floats rounded = x + ROUND, r = x - (rounded - ROUND);
    // 1 + r(q0 + q1 r + … + q4 r⁴) for |r| ≤ ½, to 1.1e-7 at worst, the least of all such polynomials
    Floats value = Floats{} + 0.0013264727f;
    value = value * r + 0.009671513f;
    value = value * r + 0.055507336f;
    value = value * r + 0.24022242f;
    value = value * r + 0.693147f;
    value = value * r + 1.0f;
    // Times two to the integer in the lowest bits of ``rounded``: a sum of exponents.
    return (Floats)((Unsigned)value + ((Unsigned)rounded << 23));
}

// Kernel values of GAUSSIAN_ROWS rows of ``left`` with the first AT_ONCE columns of a panel.
KERNELWISE_INLINE Block block(const float* left, const float* panel, Index size) {
    Block sums{};
    for (Index k = 0; k < size; ++k)
#pragma GCC unroll 4
        for (int v = 0; v < VECTORS; ++v) {
            const Floats column = load(panel + k * GAUSSIAN_WIDTH + v * (BYTES / 4));
#pragma GCC unroll 4
            for (int i = 0; i < GAUSSIAN_ROWS; ++i) sums.values[i][v] += left[i * size + k] * column;
        }
#pragma GCC unroll 4
    for (int i = 0; i < GAUSSIAN_ROWS; ++i)
#pragma GCC unroll 4
        for (int v = 0; v < VECTORS; ++v) sums.values[i][v] = power(sums.values[i][v]);
    return sums;
}

// Write the kernel values of rows and columns to ``out``, which may have fewer rows than ``left``. A row of ``panels`` is
// a panel, of left.stride × GAUSSIAN_WIDTH numbers.
inline void fill(Rows<const float> left, Rows<const float> panels, Rows<float> out) {
    const Index size = left.stride;
    for (Index k = 0; k < out.count; k += GAUSSIAN_ROWS) {
        const Index first = smaller(k, out.count - GAUSSIAN_ROWS);  // the last rows may be written again
        for (Index c = 0; c < panels.count; ++c)
            for (Index t = 0; t < GAUSSIAN_WIDTH; t += AT_ONCE) {
                const Block found = block(left[first].first, panels[c].first + t, size);
#pragma GCC unroll 4
                for (int i = 0; i < GAUSSIAN_ROWS; ++i)
#pragma GCC unroll 4
                    for (int v = 0; v < VECTORS; ++v)
                        store(found.values[i][v], out[first + i].first + c * GAUSSIAN_WIDTH + t + v * (BYTES / 4));
            }
    }
}

// Add Σ change_k times the kernel values of row k to ``total``; a multiple of GAUSSIAN_ROWS rows.
inline void add(Rows<const float> left, Row<const float> change, Rows<const float> panels, Row<double> total) {
    const Index size = left.stride;
    for (Index c = 0; c < panels.count; ++c)
        for (Index start = 0; start < left.count; start += GAUSSIAN_ROWS * FLUSH) {
            alignas(64) float part[GAUSSIAN_WIDTH] = {};
            const Index stop = smaller(start + GAUSSIAN_ROWS * FLUSH, left.count);
            for (Index k = start; k < stop; k += GAUSSIAN_ROWS)
                for (Index t = 0; t < GAUSSIAN_WIDTH; t += AT_ONCE) {
                    const Block found = block(left[k].first, panels[c].first + t, size);
#pragma GCC unroll 4
                    for (int v = 0; v < VECTORS; ++v) {
                        float* const at = part + t + v * (BYTES / 4);
                        Floats sum = load(at);
#pragma GCC unroll 4
                        for (int i = 0; i < GAUSSIAN_ROWS; ++i) sum += change[k + i] * found.values[i][v];
                        store(sum, at);
                    }
                }
            for (Index t = 0; t < GAUSSIAN_WIDTH; ++t) total[c * GAUSSIAN_WIDTH + t] += static_cast<double>(part[t]);
        }
}

}  // namespace kernelwise::KERNELWISE_TARGET::gaussian
