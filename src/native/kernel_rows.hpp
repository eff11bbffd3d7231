// Values of sums of Gaussian and Laplacian kernels, made in the registers of the processor: in single precision for rows
// of a solver, in double precision for predictions.
//
// A value is Σ weight·2^(scale·e) over the terms of the sum; several kernels may share them. The exponent e of a term is the product of a row of ``left`` with
// a column of a panel, or less than zero the sum of their squared or absolute differences. A matrix product followed by
// exponentials writes and reads each value twice; here a block of KERNEL_ROWS × AT_ONCE exponents is summed up in
// registers, turned into powers there, and stored or summed up.
#pragma once

#include "problem.hpp"

namespace kernelwise::KERNELWISE_TARGET::kernel_rows {

constexpr Index FLUSH = 16;  // blocks of rows that are summed up in single precision
#if defined(__AVX512F__)
constexpr int BYTES = 64, VECTORS = 4;
#elif defined(__AVX2__)
constexpr int BYTES = 32, VECTORS = 2;
#else
constexpr int BYTES = 16, VECTORS = 2;
#endif

typedef float Floats __attribute__((vector_size(BYTES), aligned(4), may_alias));
typedef double Doubles __attribute__((vector_size(BYTES), aligned(8), may_alias));
typedef std::int32_t Bits __attribute__((vector_size(BYTES)));
typedef std::uint32_t Unsigned __attribute__((vector_size(BYTES)));
typedef std::int64_t LongBits __attribute__((vector_size(BYTES)));
typedef std::uint64_t LongUnsigned __attribute__((vector_size(BYTES)));

template <class Real>
struct VectorOf;
template <>
struct VectorOf<float> {
    using Type = Floats;
};
template <>
struct VectorOf<double> {
    using Type = Doubles;
};
template <class Real>
using Vector = typename VectorOf<Real>::Type;
template <class Real>
constexpr Index N_LANES = BYTES / static_cast<Index>(sizeof(Real));
template <class Real>
constexpr Index AT_ONCE = VECTORS * N_LANES<Real>;  // columns

template <class Real>
struct Block {
    Vector<Real> values[KERNEL_ROWS][VECTORS];
};

template <class Real>
KERNELWISE_INLINE Vector<Real> load(const Real* at) {
    return *reinterpret_cast<const Vector<Real>*>(at);
}
template <class Real>
KERNELWISE_INLINE void store(Vector<Real> values, Real* at) {
    *reinterpret_cast<Vector<Real>*>(at) = values;
}

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

// The same in double precision, where what would be a denormal number is zero.
KERNELWISE_INLINE Doubles power(Doubles x) {
    constexpr double LEAST = -1022.0, ROUND = 0x1.8p52;
    const LongBits is_more = (LongBits)(x > LEAST);
    x = (Doubles)((LongBits)(x < 0.0 ? x : Doubles{}) & is_more);
    const Doubles rounded = x + ROUND, r = x - (rounded - ROUND);
    // 1 + r(q0 + q1 r + … + q10 r¹⁰), the interpolation at Chebyshev's nodes: rounding is more than its error
    Doubles value = Doubles{} + 0x1.e9d3fe3952179p-32;
    value = value * r + 0x1.e6063f7217bc6p-28;
    value = value * r + 0x1.b524fae627834p-24;
    value = value * r + 0x1.62bfd47773353p-20;
    value = value * r + 0x1.ffcbfc670dcd4p-17;
    value = value * r + 0x1.430913096fd9fp-13;
    value = value * r + 0x1.5d87fe78a5276p-10;
    value = value * r + 0x1.3b2ab6fba1ddap-7;
    value = value * r + 0x1.c6b08d704a0c2p-5;
    value = value * r + 0x1.ebfbdff82c598p-3;
    value = value * r + 0x1.62e42fefa39efp-1;
    value = value * r + 1.0;
    return (Doubles)((LongBits)((LongUnsigned)value + ((LongUnsigned)rounded << 52)) & is_more);
}

KERNELWISE_INLINE Floats magnitudes(Floats x) { return (Floats)((Bits)x & 0x7fffffff); }
KERNELWISE_INLINE Doubles magnitudes(Doubles x) { return (Doubles)((LongBits)x & 0x7fffffffffffffff); }

// Exponents of one term: its ``size`` columns of KERNEL_ROWS rows, ``stride`` numbers apart, with AT_ONCE columns of a panel.
template <Index kind, class Real>
KERNELWISE_INLINE Block<Real> exponents(const Real* left, Index stride, const Real* panel, Index size) {
    Block<Real> sums{};
    for (Index k = 0; k < size; ++k)
#pragma GCC unroll 4
        for (int v = 0; v < VECTORS; ++v) {
            const Vector<Real> column = load(panel + k * KERNEL_WIDTH + v * N_LANES<Real>);
#pragma GCC unroll 4
            for (int i = 0; i < KERNEL_ROWS; ++i) {
                const Real row = left[i * stride + k];
                if constexpr (kind == PRODUCT) {
                    sums.values[i][v] += row * column;
                } else {
                    const Vector<Real> difference = row - column;
                    sums.values[i][v] -= kind == SQUARES ? difference * difference : magnitudes(difference);
                }
            }
        }
    return sums;
}

// Call ``use`` with the exponents of each term and the row of each of its powers: those of KERNEL_ROWS rows of ``left``
// with the first AT_ONCE columns of a panel.
template <class Real, class Use>
KERNELWISE_INLINE void each_power(const KernelTerms<Real>& terms, const Real* left, Index stride, const Real* panel,
                                  Use use) {
    Index power_at = 0;
    for (Index t = 0; t < terms.shapes.count; ++t) {
        const Row<const Index> shape = terms.shapes[t];
        const Index size = shape[1];
        const Block<Real> sums = shape[0] == PRODUCT   ? exponents<PRODUCT>(left, stride, panel, size)
                                 : shape[0] == SQUARES ? exponents<SQUARES>(left, stride, panel, size)
                                                       : exponents<CITY_BLOCK>(left, stride, panel, size);
        for (const Index stop = power_at + shape[2]; power_at < stop; ++power_at) use(sums, terms.powers[power_at]);
        left += size;
        panel += size * KERNEL_WIDTH;
    }
}

// Values of one kernel.
template <class Real>
KERNELWISE_INLINE Block<Real> block(const KernelTerms<Real>& terms, const Real* left, Index stride, const Real* panel) {
    Block<Real> total{};
    each_power(terms, left, stride, panel,
               [&](const Block<Real>& sums, Row<const Real> power_of) __attribute__((always_inline)) {
                   const Real scale = power_of[0], weight = power_of[1];
#pragma GCC unroll 4
                   for (int i = 0; i < KERNEL_ROWS; ++i)
#pragma GCC unroll 4
                       for (int v = 0; v < VECTORS; ++v)
                           total.values[i][v] += weight * power(scale * sums.values[i][v]);
               });
    return total;
}

// Values of several kernels, which share exponents and powers: those of a kernel are ``width`` numbers after those of the
// one before it, and rows ``out_stride`` numbers apart.
template <class Real>
KERNELWISE_INLINE void blocks(const KernelTerms<Real>& terms, const Real* left, Index stride, const Real* panel,
                              Real* out, Index out_stride, Index width) {
    const Index n_kernels = terms.powers.stride - 1;
    for (Index m = 0; m < n_kernels; ++m)
        for (int i = 0; i < KERNEL_ROWS; ++i)
            for (int v = 0; v < VECTORS; ++v)
                store<Real>(Vector<Real>{}, out + m * width + i * out_stride + v * N_LANES<Real>);
    each_power(terms, left, stride, panel,
               [&](const Block<Real>& sums, Row<const Real> power_of) __attribute__((always_inline)) {
                   Block<Real> powers;
#pragma GCC unroll 4
                   for (int i = 0; i < KERNEL_ROWS; ++i)
#pragma GCC unroll 4
                       for (int v = 0; v < VECTORS; ++v) powers.values[i][v] = power(power_of[0] * sums.values[i][v]);
                   for (Index m = 0; m < n_kernels; ++m) {
                       const Real weight = power_of[m + 1];
                       if (weight == Real(0)) continue;
#pragma GCC unroll 4
                       for (int i = 0; i < KERNEL_ROWS; ++i)
#pragma GCC unroll 4
                           for (int v = 0; v < VECTORS; ++v) {
                               Real* const at = out + m * width + i * out_stride + v * N_LANES<Real>;
                               store<Real>(load(at) + weight * powers.values[i][v], at);
                           }
                   }
               });
}

// Write the kernel values of rows and columns to ``out``, which may have fewer rows than ``left``; those of several kernels
// beside each other. A row of ``panels`` is a panel, of left.stride × KERNEL_WIDTH numbers.
template <class Real>
inline void fill(const KernelTerms<Real>& terms, Rows<const Real> left, Rows<const Real> panels, Rows<Real> out) {
    const Index width = panels.count * KERNEL_WIDTH;
    for (Index k = 0; k < out.count; k += KERNEL_ROWS) {
        const Index first = smaller(k, out.count - KERNEL_ROWS);  // the last rows may be written again
        for (Index c = 0; c < panels.count; ++c)
            for (Index t = 0; t < KERNEL_WIDTH; t += AT_ONCE<Real>) {
                if (terms.powers.stride > 2) {
                    Real* const at = out[first].first + c * KERNEL_WIDTH + t;
                    blocks(terms, left[first].first, left.stride, panels[c].first + t, at, out.stride, width);
                    continue;
                }
                const Block<Real> found = block(terms, left[first].first, left.stride, panels[c].first + t);
#pragma GCC unroll 4
                for (int i = 0; i < KERNEL_ROWS; ++i)
#pragma GCC unroll 4
                    for (int v = 0; v < VECTORS; ++v)
                        store<Real>(found.values[i][v],
                                    out[first + i].first + c * KERNEL_WIDTH + t + v * N_LANES<Real>);
            }
    }
}

// Add Σ change_k times the kernel values of row k to ``total``; a multiple of KERNEL_ROWS rows.
inline void add(const KernelTerms<float>& terms, Rows<const float> left, Row<const float> change,
                Rows<const float> panels, Row<double> total) {
    for (Index c = 0; c < panels.count; ++c)
        for (Index start = 0; start < left.count; start += KERNEL_ROWS * FLUSH) {
            alignas(64) float part[KERNEL_WIDTH] = {};
            const Index stop = smaller(start + KERNEL_ROWS * FLUSH, left.count);
            for (Index k = start; k < stop; k += KERNEL_ROWS)
                for (Index t = 0; t < KERNEL_WIDTH; t += AT_ONCE<float>) {
                    const Block<float> found = block(terms, left[k].first, left.stride, panels[c].first + t);
#pragma GCC unroll 4
                    for (int v = 0; v < VECTORS; ++v) {
                        float* const at = part + t + v * N_LANES<float>;
                        Floats sum = load(at);
#pragma GCC unroll 4
                        for (int i = 0; i < KERNEL_ROWS; ++i) sum += change[k + i] * found.values[i][v];
                        store<float>(sum, at);
                    }
                }
            for (Index t = 0; t < KERNEL_WIDTH; ++t) total[c * KERNEL_WIDTH + t] += static_cast<double>(part[t]);
        }
}

}  // namespace kernelwise::KERNELWISE_TARGET::kernel_rows
