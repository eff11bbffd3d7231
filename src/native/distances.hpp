// Squared Euclidean and city-block distances, and sums of their parts.
#pragma once

#include "problem.hpp"

namespace kernelwise::KERNELWISE_TARGET::distances {

constexpr Index COLUMNS = 256;  // at a time: their samples stay in the cache that is next to the core

// Inner products G to ‖x‖² + ‖y‖² − 2G in one pass, in place; zero where only ``rounding``·(‖x‖² + ‖y‖²) is left.
inline void from_products(Rows<double> G, Row<const double> norms_x, Row<const double> norms_y, double rounding) {
    const double* const norms = norms_y.first;
    for (Index i = 0; i < G.count; ++i) {
        double* const row = G[i].first;
        const double norm = norms_x[i];
#pragma omp simd
        for (Index j = 0; j < G.stride; ++j) {
            const double both = norm + norms[j], distance = both - 2.0 * row[j];
            row[j] = distance > rounding * both ? distance : 0.0;
        }
    }
}

// Σ_k |x_ik − y_jk| of rows (n, d) and columns (d, m), from column ``first`` on. The loops over columns are the innermost:
// they are vectorised without changing the order of a sum. Four features at a time, so that a distance is read and
// written once for four differences.
inline void city_block(Rows<const double> rows, Rows<const double> columns, Rows<double> D, Index first) {
    const Index d = rows.stride;
    for (Index start = first; start < D.stride; start += COLUMNS) {
        const Index stop = smaller(start + COLUMNS, D.stride);
        for (Index i = 0; i < rows.count; ++i) {
            const double* const row = rows[i].first;
            double* const found = D[i].first;
            for (Index j = start; j < stop; ++j) found[j] = 0.0;
            Index k = 0;
            for (; k + 4 <= d; k += 4) {
                const double a = row[k], b = row[k + 1], c = row[k + 2], e = row[k + 3];
                const double *A = columns[k].first, *B = columns[k + 1].first;
                const double *C = columns[k + 2].first, *E = columns[k + 3].first;
#pragma omp simd
                for (Index j = start; j < stop; ++j)
                    found[j] +=
                        (magnitude(a - A[j]) + magnitude(b - B[j])) + (magnitude(c - C[j]) + magnitude(e - E[j]));
            }
            for (; k < d; ++k) {
                const double a = row[k];
                const double* const A = columns[k].first;
#pragma omp simd
                for (Index j = start; j < stop; ++j) found[j] += magnitude(a - A[j]);
            }
        }
    }
}

// D_ij = D_ji below the diagonal, in the rows from ``first`` to ``last``; tiles of both stay in the cache.
inline void mirror(Rows<double> D, Index first, Index last) {
    constexpr Index TILE = 32;
    for (Index top = first; top < last; top += TILE)
        for (Index left = 0; left < last; left += TILE)
            for (Index i = top; i < smaller(top + TILE, last); ++i)
                for (Index j = left; j < smaller(left + TILE, i); ++j) D[i][j] = D[j][i];
}

// sums_kj += Σ_i V_ij |x_ik − y_jk|, of rows (n, d) and columns (d, m).
inline void add_differences(Rows<const double> rows, Rows<const double> columns, Rows<const double> V,
                            Rows<double> sums) {
    for (Index start = 0; start < columns.stride; start += COLUMNS) {
        const Index stop = smaller(start + COLUMNS, columns.stride);
        for (Index i = 0; i < rows.count; ++i) {
            const double* const weight = V[i].first;
            for (Index k = 0; k < columns.count; ++k) {
                const double a = rows[i][k];
                const double* const column = columns[k].first;
                double* const total = sums[k].first;
#pragma omp simd
                for (Index j = start; j < stop; ++j) total[j] += weight[j] * magnitude(a - column[j]);
            }
        }
    }
}

// sums_ik += Σ_j V_ij sign(x_ik − y_jk), of rows (n, d) and others (m, d).
inline void add_signs(Rows<const double> rows, Rows<const double> others, Rows<const double> V, Rows<double> sums) {
    for (Index i = 0; i < rows.count; ++i) {
        const double* const row = rows[i].first;
        double* const total = sums[i].first;
        for (Index j = 0; j < others.count; ++j) {
            const double v = V[i][j];
            const double* const other = others[j].first;
#pragma omp simd
            for (Index k = 0; k < rows.stride; ++k) {
                const double difference = row[k] - other[k];
                total[k] += difference > 0.0 ? v : difference < 0.0 ? -v : 0.0;
            }
        }
    }
}

}  // namespace kernelwise::KERNELWISE_TARGET::distances
