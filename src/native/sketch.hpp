// The bins of the distance sketch (kernelwise/sketch/histograms.py says what they are), filled from inner products.
#pragma once

#include "problem.hpp"

namespace kernelwise::KERNELWISE_TARGET::sketch {

using Word = std::uint64_t;

// Bits of a double: the mantissa has 52, of which the number of a bin takes 8 (of a fine one 9) after the exponent.
constexpr int SHIFT = 44, FINE_SHIFT = 43;
constexpr std::int64_t FIRST = 1023 << 8, FINE_FIRST = 1023 << 9;
// A word has the number of pairs in its highest 20 bits, and the sum of their places in the others.
constexpr int PLACE_SHIFT = 19;
constexpr Word PLACE_MASK = (Word{1} << 24) - 1, ONE_PAIR = Word{1} << 44;
constexpr Index BLOCK = 512;  // columns at a time

// The number of the bin of x = 1 + D/bottom, at most ``last``; 0 is that of equal samples, whose x is 0.
KERNELWISE_INLINE Word bin_of(Word bits, int shift, std::int64_t first, std::int64_t last) {
    const std::int64_t number = static_cast<std::int64_t>(bits >> shift) - (first - 1);
    return static_cast<Word>(smaller(larger(number, std::int64_t{0}), last));
}

// The bits of x of some columns of one row.
KERNELWISE_INLINE void find_bits(const Pairs& pairs, Index i, Index start, Index size, Word* bits) {
    const double *const row = pairs.G[i].first + start, *const norms = pairs.norms_y.first + start;
    const double norm = pairs.norms_x[i], rounding = pairs.rounding, per_bottom = pairs.per_bottom;
#pragma omp simd
    for (Index j = 0; j < size; ++j) {
        const double both = norm + norms[j], distance = both - 2.0 * row[j];
        bits[j] = __builtin_bit_cast(Word, distance > rounding * both ? 1.0 + distance * per_bottom : 0.0);
    }
}

// Count pairs into fine bins, two words each: number and sum of places, and sum of their squares.
inline void count(const Pairs& pairs, Rows<Word> words) {
    Word bits[BLOCK], bins[BLOCK], places[BLOCK], squares[BLOCK];
    const std::int64_t last = words.count - 1;
    for (Index i = 0; i < pairs.G.count; ++i)
        for (Index start = 0; start < pairs.G.stride; start += BLOCK) {
            const Index size = smaller(BLOCK, pairs.G.stride - start);
            find_bits(pairs, i, start, size, bits);
            for (Index j = 0; j < size; ++j) {
                bins[j] = bin_of(bits[j], FINE_SHIFT, FINE_FIRST, last);
                const Word place = (bits[j] >> PLACE_SHIFT) & PLACE_MASK;
                places[j] = place | ONE_PAIR;
                squares[j] = (place >> 4) * (place >> 4);
            }
            for (Index j = pairs.upper ? larger(i + 1 - start, Index{0}) : 0; j < size; ++j) {
                const Row<Word> word = words[static_cast<Index>(bins[j])];
                const Word counted = word[0], squared = word[1];  // both are read before one is written
                word[0] = counted + places[j];
                word[1] = squared + squares[j];
            }
        }
}

// Add pairs of weight w_i w_j to the moments Σ w vʲ, j = 0 … 3, of their bins, v ∈ [−1, 1] the place in the bin.
inline void weigh(const Pairs& pairs, Row<const double> weights_x, Row<const double> weights_y, Rows<double> moments) {
    constexpr Word REST = (Word{1} << SHIFT) - 1, ONE = Word{1023} << 52;
    Word bits[BLOCK];
    const std::int64_t last = moments.count - 1;
    for (Index i = 0; i < pairs.G.count; ++i)
        for (Index start = 0; start < pairs.G.stride; start += BLOCK) {
            const Index size = smaller(BLOCK, pairs.G.stride - start);
            find_bits(pairs, i, start, size, bits);
            for (Index j = pairs.upper ? larger(i + 1 - start, Index{0}) : 0; j < size; ++j) {
                const Row<double> sums = moments[static_cast<Index>(bin_of(bits[j], SHIFT, FIRST, last))];
                const double v = 2.0 * __builtin_bit_cast(double, ((bits[j] & REST) << 8) | ONE) - 3.0;
                const double w = weights_x[i] * weights_y[start + j];
                sums[0] += w;
                sums[1] += w * v;
                sums[2] += w * v * v;
                sums[3] += w * v * v * v;
            }
        }
}

}  // namespace kernelwise::KERNELWISE_TARGET::sketch
