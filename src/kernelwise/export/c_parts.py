"""C functions that turn decision values into probabilities and labels."""

from __future__ import annotations

#: What a machine of two classes does.
TWO_CLASSES = """\
/* Class probabilities p[N_CLASSES] of a row x[N_FEATURES]. */
void probabilities(const double *x, double *p)
{
    double f[N_MACHINES];
    decision_values(x, f);
    p[1] = 1.0 / (1.0 + exp(SIGMOIDS[0][0] * f[0] + SIGMOIDS[0][1]));
    p[0] = 1.0 - p[1];
}
"""

#: One machine for each class and the rest. By logarithms, so that the least unlikely class is the answer.
ONE_VS_REST = """\
/* Class probabilities p[N_CLASSES] of a row x[N_FEATURES]: of each class and the rest, over their sum. */
void probabilities(const double *x, double *p)
{
    double f[N_MACHINES], largest = -INFINITY, sum = 0.0;
    decision_values(x, f);
    for (int i = 0; i < N_CLASSES; i++) {
        double odds = -(SIGMOIDS[i][0] * f[i] + SIGMOIDS[i][1]);
        p[i] = fmin(odds, 0.0) - log1p(exp(-fabs(odds)));
        largest = fmax(largest, p[i]);
    }
    for (int i = 0; i < N_CLASSES; i++) sum += p[i] = exp(p[i] - largest);
    for (int i = 0; i < N_CLASSES; i++) p[i] /= sum;
}
"""

#: Pairs, as `kernelwise.solvers.probability.couple`: Q + 11' is positive definite, and needs no pivots.
ONE_VS_ONE = """\
/* Class probabilities p[N_CLASSES] of a row x[N_FEATURES]: those that agree best with the pairwise ones r
   (Wu, Lin and Weng, JMLR 5, 2004, second method), p = c (Q + 11')^-1 1 with Q_ii = sum of r_ji^2 and
   Q_ij = -r_ij r_ji. */
void probabilities(const double *x, double *p)
{
    double f[N_MACHINES], A[N_CLASSES][N_CLASSES], sum = 0.0;
    decision_values(x, f);
    for (int i = 0; i < N_CLASSES; i++) A[i][i] = p[i] = 1.0;
    for (int i = 0, m = 0; i < N_CLASSES; i++)
        for (int j = i + 1; j < N_CLASSES; j++, m++) {
            double r = 1.0 / (1.0 + exp(SIGMOIDS[m][0] * f[m] + SIGMOIDS[m][1]));
            r = fmin(fmax(r, 1e-7), 1.0 - 1e-7);
            A[i][i] += (1.0 - r) * (1.0 - r);
            A[j][j] += r * r;
            A[i][j] = A[j][i] = 1.0 - r * (1.0 - r);
        }
    for (int i = 0; i < N_CLASSES; i++)
        for (int j = i + 1; j < N_CLASSES; j++) {
            double share = A[j][i] / A[i][i];
            for (int k = i; k < N_CLASSES; k++) A[j][k] -= share * A[i][k];
            p[j] -= share * p[i];
        }
    for (int i = N_CLASSES - 1; i >= 0; i--) {
        for (int k = i + 1; k < N_CLASSES; k++) p[i] -= A[i][k] * p[k];
        p[i] /= A[i][i];
    }
    for (int i = 0; i < N_CLASSES; i++) sum += p[i] = fmax(p[i], 0.0);
    for (int i = 0; i < N_CLASSES; i++) p[i] /= sum;
}
"""

LARGEST = """\
static int largest(const double *values)
{
    int best = 0;
    for (int i = 1; i < N_CLASSES; i++)
        if (values[i] > values[best]) best = i;
    return best;
}
"""

#: Class of a row by the rule of a `PlainModel`.
RULES = {
    "probability": """\
    double p[N_CLASSES];
    probabilities(x, p);
    return largest(p);
""",
    "costs": """\
    double p[N_CLASSES], gain[N_CLASSES] = {0.0};
    probabilities(x, p);
    for (int i = 0; i < N_CLASSES; i++)
        for (int j = 0; j < N_CLASSES; j++) gain[j] -= p[i] * COSTS[i][j];
    return largest(gain);
""",
    "sign": """\
    double f[N_MACHINES];
    decision_values(x, f);
    return f[0] >= 0.0;
""",
    "largest": """\
    double f[N_MACHINES];
    decision_values(x, f);
    return largest(f);
""",
    "votes": """\
    double f[N_MACHINES], votes[N_CLASSES] = {0.0};
    decision_values(x, f);
    for (int i = 0, m = 0; i < N_CLASSES; i++)
        for (int j = i + 1; j < N_CLASSES; j++, m++) votes[f[m] > 0.0 ? i : j] += 1.0;
    return largest(votes);
""",
    "ranked votes": """\
    double f[N_MACHINES], votes[N_CLASSES] = {0.0}, sums[N_CLASSES] = {0.0};
    decision_values(x, f);
    for (int i = 0, m = 0; i < N_CLASSES; i++)
        for (int j = i + 1; j < N_CLASSES; j++, m++) {
            votes[f[m] >= 0.0 ? i : j] += 1.0;
            sums[i] += f[m];
            sums[j] -= f[m];
        }
    for (int i = 0; i < N_CLASSES; i++) votes[i] += sums[i] / (3.0 * (fabs(sums[i]) + 1.0));
    return largest(votes);
""",
}

PREDICT = """\
/* The class of a row x[N_FEATURES], as its place in CLASSES. */
int predict(const double *x)
{{
{rule}}}
"""
