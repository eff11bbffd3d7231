// Shapley values and interactions of products of column factors (kernelwise/explanation says what they are).
#pragma once

#include "problem.hpp"

namespace kernelwise::KERNELWISE_TARGET::shapley {

// out[row·d + j][machine] += the Shapley value of column j. At each node t the factor of a column is v + t(u − v): one
// pass multiplies those of the columns before each column, one pass back those behind it.
inline void add_values(const Factors& given, Rows<double> out) {
    const Index d = given.n_columns(), n_nodes = given.nodes.size;
    Buffer<double> memory(d + 1, n_nodes), found_memory(1, d);
    const Rows<double> products = memory.rows();
    const Row<double> found = found_memory.row();
    const double* const nodes = given.nodes.first;
    double* const behind = products[d].first;
    for (Index q = 0; q < n_nodes; ++q) products[0][q] = given.weights[q];
    const Index n_rows = given.U.count / given.n_support();
    for (Index i = 0; i < n_rows; ++i)
        for (Index s = 0; s < given.n_support(); ++s) {
            const Row<const double> us = given.U[i * given.n_support() + s];
            for (double& value : found) value = 0.0;
            for (Index b = 0; b < given.n_absent(); ++b) {
                const Row<const double> vs = given.V[b * given.n_support() + s];
                for (Index j = 0; j + 1 < d; ++j) {
                    const double v = vs[j], slope = us[j] - v;
                    const double* const before = products[j].first;
                    double* const after = products[j + 1].first;
#pragma omp simd
                    for (Index q = 0; q < n_nodes; ++q) after[q] = before[q] * (v + nodes[q] * slope);
                }
                for (Index q = 0; q < n_nodes; ++q) behind[q] = 1.0;
                for (Index j = d - 1; j >= 0; --j) {
                    const double v = vs[j], slope = us[j] - v;
                    const double* const before = products[j].first;
                    double total = 0.0;
#pragma omp simd reduction(+ : total)
                    for (Index q = 0; q < n_nodes; ++q) {
                        total += before[q] * behind[q];
                        behind[q] *= v + nodes[q] * slope;
                    }
                    found[j] += slope * total;
                }
            }
            const double n_absent = static_cast<double>(given.n_absent());
            for (Index j = 0; j < d; ++j)
                for (Index m = 0; m < given.beta.count; ++m)
                    out[i * d + j][m] += given.beta[m][s] * found[j] / n_absent;
        }
}

// out[(row·d + j)·d + k][machine] += the interaction of columns j < k: the product of all other factors, integrated. At
// each node it is the product before j, times that between j and k, times that behind k.
inline void add_interactions(const Factors& given, Rows<double> out) {
    const Index d = given.n_columns(), n_nodes = given.nodes.size, n_rows = given.U.count / given.n_support();
    Buffer<double> found_memory(d, d), factor_memory(d, n_nodes), behind_memory(d + 1, n_nodes), now_memory(2, n_nodes);
    const Rows<double> found = found_memory.rows(), factor = factor_memory.rows(), behind = behind_memory.rows();
    const Row<double> before = now_memory.rows()[0], between = now_memory.rows()[1];
    for (Index i = 0; i < n_rows; ++i)
        for (Index s = 0; s < given.n_support(); ++s) {
            const Row<const double> us = given.U[i * given.n_support() + s];
            for (Index j = 0; j < d; ++j)
                for (double& value : found[j]) value = 0.0;
            for (Index b = 0; b < given.n_absent(); ++b) {
                const Row<const double> vs = given.V[b * given.n_support() + s];
                for (Index q = 0; q < n_nodes; ++q) {
                    behind[d][q] = 1.0;
                    before[q] = given.weights[q];
                }
                for (Index j = d - 1; j >= 0; --j)
                    for (Index q = 0; q < n_nodes; ++q) {
                        factor[j][q] = vs[j] + given.nodes[q] * (us[j] - vs[j]);
                        behind[j][q] = behind[j + 1][q] * factor[j][q];
                    }
                for (Index j = 0; j < d; ++j) {
                    for (Index q = 0; q < n_nodes; ++q) between[q] = before[q];
                    for (Index k = j + 1; k < d; ++k) {
                        const double *const rest = behind[k + 1].first, *const own = factor[k].first;
                        double* const product = between.first;
                        double total = 0.0;
#pragma omp simd reduction(+ : total)
                        for (Index q = 0; q < n_nodes; ++q) {
                            total += product[q] * rest[q];
                            product[q] *= own[q];
                        }
                        found[j][k] += (us[j] - vs[j]) * (us[k] - vs[k]) * total;
                    }
                    for (Index q = 0; q < n_nodes; ++q) before[q] *= factor[j][q];
                }
            }
            const double n_absent = static_cast<double>(given.n_absent());
            for (Index j = 0; j < d; ++j)
                for (Index k = j + 1; k < d; ++k)
                    for (Index m = 0; m < given.beta.count; ++m)
                        out[(i * d + j) * d + k][m] += given.beta[m][s] * found[j][k] / n_absent;
        }
}

}  // namespace kernelwise::KERNELWISE_TARGET::shapley
