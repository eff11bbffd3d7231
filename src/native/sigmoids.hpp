// Platt's sigmoids: the best A and B of probabilities 1 / (1 + exp(A f + B)), by Newton's method [1].
//
// [1] H.-T. Lin, C.-J. Lin, R. C. Weng, "A note on Platt's probabilistic outputs for support vector machines", Machine
//     Learning 68, 2007.
#pragma once

#include <math.h>

#include "problem.hpp"

namespace kernelwise::KERNELWISE_TARGET::sigmoids {

constexpr int MAX_STEPS = 100;
constexpr double TOL = 1e-10;        // of the gradient, relative to the total weight
constexpr double RIDGE = 1e-12;      // keeps the Hessian invertible when all decision values are equal
constexpr double SUFFICIENT = 1e-4;  // share of the predicted decrease that a step must bring
constexpr double SMALLEST = 1e-10;   // part of a step

// Σ w (t z + log(1 + e⁻ᶻ)) with z = A f + B, in a form that cannot overflow.
inline double cost(Row<const double> f, Row<const double> target, Row<const double> w, double A, double B) {
    double total = 0.0;
    for (Index k = 0; k < f.size; ++k) {
        if (w[k] == 0.0) continue;
        const double z = A * f[k] + B;
        total += w[k] * (target[k] * z + log1p(exp(-magnitude(z))) + larger(-z, 0.0));
    }
    return total;
}

// Minimise the cost from (A, B), and return whether the gradient vanished.
inline bool minimise(Row<const double> f, Row<const double> target, Row<const double> w, double& A, double& B) {
    double total = 0.0;
    for (const double own : w) total += own;
    double value = cost(f, target, w, A, B);
    for (int step = 0; step < MAX_STEPS; ++step) {
        double slope_A = 0.0, slope_B = 0.0, AA = RIDGE * total, AB = 0.0, BB = RIDGE * total;
        for (Index k = 0; k < f.size; ++k) {
            if (w[k] == 0.0) continue;
            const double p = 1.0 / (1.0 + exp(A * f[k] + B)), pull = w[k] * (target[k] - p),
                         bend = w[k] * p * (1.0 - p);
            slope_A += pull * f[k];
            slope_B += pull;
            AA += bend * f[k] * f[k];
            AB += bend * f[k];
            BB += bend;
        }
        if (larger(magnitude(slope_A), magnitude(slope_B)) <= TOL * total) return true;
        // Elimination with a pivot: the determinant of values that are nearly equal would be rounding.
        const bool is_first = AA >= magnitude(AB);
        const double pivot = is_first ? AA : AB, beside = is_first ? AB : BB, right = is_first ? slope_A : slope_B;
        const double share = (is_first ? AB : AA) / pivot, rest = (is_first ? BB : AB) - share * beside;
        const double dB = (share * right - (is_first ? slope_B : slope_A)) / rest, dA = -(right + beside * dB) / pivot;
        const double slope = slope_A * dA + slope_B * dB;
        // Near the minimum the decrease is lost in the rounding of the cost, and the whole step is right.
        const double most = value + 1e-14 * magnitude(value);
        double length = 1.0, now = cost(f, target, w, A + dA, B + dB);
        while (now > most + SUFFICIENT * length * slope && length / 2.0 >= SMALLEST) {
            length /= 2.0;
            now = cost(f, target, w, A + length * dA, B + length * dB);
        }
        A += length * dA;
        B += length * dB;
        value = now;
    }
    return false;
}

// Each row is a problem: decision values, targets and weights, and where to start, which becomes (A, B). Returns how many
// did not converge.
inline Index fit(Rows<const double> f, Rows<const double> target, Rows<const double> w, Rows<double> points) {
    Index n_left = 0;
    for (Index k = 0; k < f.count; ++k) n_left += !minimise(f[k], target[k], w[k], points[k][0], points[k][1]);
    return n_left;
}

}  // namespace kernelwise::KERNELWISE_TARGET::sigmoids
