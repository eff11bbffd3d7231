"""A plain model as one C99 file that needs nothing but math.h."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

import numpy as np
from numpy.typing import ArrayLike

from kernelwise.exceptions import IncompatibleError
from kernelwise.export import PlainModel, Term
from kernelwise.kernels.radial import mapped

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


#: Numbers of a source file, at most: a compiler takes about a minute and some GiB for that many.
MOST_NUMBERS = 5_000_000


def c_source(plain: PlainModel) -> str:
    """Return the file's text: `predict`, and of classes `decision_values`, `probabilities` and `CLASSES`."""
    for label in [] if plain.classes is None else plain.classes.tolist():
        if "\0" in str(label):
            raise IncompatibleError(
                f"The class {label!r} has a NUL character, which ends a text in C. Rename it."
            )
    if plain.size > MOST_NUMBERS:
        raise IncompatibleError(
            f"The C source would have {plain.size} numbers, but to_c writes at most {MOST_NUMBERS}, which a "
            "compiler can handle within a minute. Use to_onnx(path), or fit with solver='nystroem'."
        )
    parts = [_header(plain), *_machine(plain)]
    if plain.classes is None:
        parts.append(QUANTILES if plain.quantiles else REGRESSION)
        if plain.width is not None:
            parts += [
                OF_WIDTH,
                *(OWN_NAME.sub("WIDTH_\\g<0>", part) for part in _machine(plain.width)),
                INTERVAL,
            ]
        return "\n".join(parts)
    if plain.sigmoids is not None:
        of_more = ONE_VS_REST if plain.machines == "ovr" else ONE_VS_ONE
        parts.append(TWO_CLASSES if len(plain.classes) == 2 else of_more)
    if plain.rule != "sign":
        parts.append(LARGEST)
    parts.append(PREDICT.format(rule=RULES[plain.rule]))
    return "\n".join(parts)


REGRESSION = """\
/* The prediction for a row x[N_FEATURES]. */
double predict(const double *x)
{
    double f[N_MACHINES];
    decision_values(x, f);
    return f[0];
}
"""


#: A second machine, which has names of its own.
OF_WIDTH = "/* How wide intervals are. A row of these functions ends with the prediction. */"
OWN_NAME = re.compile(
    r"\b(N_[A-Z]+|SHIFT|FACTOR|SUPPORT|WEIGHTS_\d|BETA_\d|INTERCEPT|kernel_\d|decision_values)\b"
)
INTERVAL = """\
/* The lower end, ends[0], and the upper end, ends[1], of the interval of a row x[N_FEATURES]. */
void predict_interval(const double *x, double *ends)
{
    double row[WIDTH_N_FEATURES], half[WIDTH_N_MACHINES], f = predict(x);
    for (int k = 0; k < N_FEATURES; k++) row[k] = x[k];
    row[N_FEATURES] = f;
    WIDTH_decision_values(row, half);
    ends[0] = f - exp(half[0]);
    ends[1] = f + exp(half[0]);
}
"""


#: Predictions that cross are put in order by insertion: there are few.
QUANTILES = """\
/* The predicted quantiles q[N_MACHINES] of a row x[N_FEATURES], in increasing order. */
void predict(const double *x, double *q)
{
    decision_values(x, q);
    for (int i = 1; i < N_MACHINES; i++)
        for (int j = i; j > 0 && q[j - 1] > q[j]; j--) {
            double higher = q[j - 1];
            q[j - 1] = q[j];
            q[j] = higher;
        }
}
"""


def _header(plain: PlainModel) -> str:
    lines = [
        plain.title,
        "Written by kernelwise; C99, needs math.h only: cc -O2 -c model.c, and -lm to link.",
    ]
    lines += ["", "Features of a row x, in this order:"]
    lines += [f"  x[{k}]  {name}" for k, name in enumerate(plain.names)]
    if plain.quantiles:
        lines += ["", "Predicted quantiles:"]
        lines += [f"  q[{m}]  {quantile:g}" for m, quantile in enumerate(plain.quantiles)]
    if plain.width is not None:
        lines += ["", f"predict_interval: {plain.width.title}."]
    if plain.classes is not None:
        lines += ["", "Classes, as predict counts them:"]
        lines += [f"  CLASSES[{i}]  {label}" for i, label in enumerate(plain.classes.tolist())]
    inside = "\n".join(f"   {_comment(line)}".rstrip() for line in lines)
    return f"/*\n{inside}\n*/\n#include <math.h>\n"


def _machine(plain: PlainModel) -> Iterator[str]:
    """Constants, and the functions of kernels and decision values."""
    yield from _constants(plain)
    for m, term in enumerate(plain.terms):
        yield from _kernel(m, term, plain)
    yield _decision_values(plain)


def _constants(plain: PlainModel) -> Iterator[str]:
    sizes = {"FEATURES": len(plain.names), "SUPPORT": len(plain.support), "MACHINES": len(plain.intercept)}
    if plain.classes is not None:
        sizes["CLASSES"] = len(plain.classes)
    yield "".join(f"#define N_{name} {size}\n" for name, size in sizes.items())
    if plain.classes is not None:
        texts = ", ".join(_text(str(label)) for label in plain.classes.tolist())
        yield f"const char *const CLASSES[N_CLASSES] = {{{texts}}};\n"
    yield "/* A row is scaled to (x - SHIFT) * FACTOR; the support vectors are scaled already. */"
    yield _array("SHIFT", plain.shift) + _array("FACTOR", plain.factor)
    if any(not _has_matrix(term) for term in plain.terms):
        yield _array("SUPPORT", plain.support)
    betas = [terms[0].beta for terms in plain.sums]
    yield "".join(_array(f"BETA_{c}", beta.T) for c, beta in enumerate(betas))
    yield _array("INTERCEPT", plain.intercept)
    if plain.sigmoids is not None:
        yield "/* The probability of a machine's positive class is 1 / (1 + exp(A f + B)). */"
        yield _array("SIGMOIDS", plain.sigmoids)
    if plain.costs is not None:
        yield "/* What answering CLASSES[j] costs where CLASSES[i] is right: COSTS[i][j]. */"
        yield _array("COSTS", plain.costs)


def _has_matrix(term: Term) -> bool:
    return term.L is not None and term.L.ndim == 2


def _kernel(m: int, term: Term, plain: PlainModel) -> Iterator[str]:
    """The arrays and the function of one kernel."""
    n, weight = len(plain.names), ""
    if term.L is not None and term.L.ndim == 1:
        yield _array(f"WEIGHTS_{m}", term.L)
        weight = f"WEIGHTS_{m}[k] * "
    elif term.L is not None:
        n = term.L.shape[1]
        yield "/* Rows are mapped by a matrix first, as these support vectors are. */"
        yield _array(f"MAP_{m}", term.L) + _array(f"SUPPORT_{m}", mapped(plain.support, term.L))
    if term.is_distance:
        step = f"fabs({weight}(z[k] - s[k]))" if term.form == "cityblock" else "d * d"
        difference = "" if term.form == "cityblock" else f"double d = {weight}(z[k] - s[k]); "
        loop = f"{{ {difference}sum += {step}; }}" if difference else f"sum += {step};"
    else:
        loop = f"sum += {weight}z[k] * {weight}s[k];"
    root = {"euclidean": "sqrt(sum)"}.get(term.form, "sum")
    formula = {
        "linear": "sum",
        "poly": f"pow({_number(term.scale)} * sum + {_number(term.coef0)}, {term.degree})",
        "sigmoid": f"tanh({_number(term.scale)} * sum + {_number(term.coef0)})",
    }.get(term.form, f"exp(-{_number(term.scale)} * {root})")
    yield (
        f"/* {term.title}, times its weight. */\n"
        f"static double kernel_{m}(const double *z, const double *s)\n{{\n    double sum = 0.0;\n"
        f"    for (int k = 0; k < {n}; k++) {loop}\n    return {_number(term.weight)} * {formula};\n}}\n"
    )


def _decision_values(plain: PlainModel) -> str:
    """The function that all others call."""
    declared, mapping, values = [], [], []
    for m, term in enumerate(plain.terms):
        if not _has_matrix(term):
            values.append(f"kernel_{m}(z, SUPPORT[i])")
            continue
        n_mapped = term.L.shape[1]  # type: ignore[union-attr]
        declared.append(f", z_{m}[{n_mapped}] = {{0.0}}")
        mapping.append(
            f"    for (int k = 0; k < N_FEATURES; k++)\n"
            f"        for (int j = 0; j < {n_mapped}; j++) z_{m}[j] += z[k] * MAP_{m}[k][j];\n"
        )
        values.append(f"kernel_{m}(z_{m}, SUPPORT_{m}[i])")
    of_term = iter(values)
    sums = [" + ".join(islice(of_term, len(terms))) for terms in plain.sums]
    lines = "".join(f"        double value_{c} = {total};\n" for c, total in enumerate(sums))
    step = " + ".join(f"BETA_{c}[i][m] * value_{c}" for c in range(len(sums)))
    return DECISION_VALUES.format("".join(declared), "".join(mapping), lines, step)


DECISION_VALUES = """\
/* Decision values f[N_MACHINES] of a row x[N_FEATURES]. */
void decision_values(const double *x, double *f)
{{
    double z[N_FEATURES]{0};
    for (int k = 0; k < N_FEATURES; k++) z[k] = (x[k] - SHIFT[k]) * FACTOR[k];
{1}    for (int m = 0; m < N_MACHINES; m++) f[m] = INTERCEPT[m];
    for (int i = 0; i < N_SUPPORT; i++) {{
{2}        for (int m = 0; m < N_MACHINES; m++) f[m] += {3};
    }}
}}
"""


def _number(value: float) -> str:
    """A number that reads back as itself."""
    text = f"{value:.17g}"
    return text if set(text) & set(".en") else f"{text}.0"


def _array(name: str, values: ArrayLike) -> str:
    """A constant array of one or two axes."""
    values = np.asarray(values, dtype=float)
    shape = "".join(f"[{n}]" for n in values.shape)
    rows = values.tolist() if values.ndim == 2 else [values.tolist()]
    lines = [", ".join(map(_number, row)) for row in rows]
    if values.ndim == 2:
        inside = ",\n".join(f"    {{{line}}}" for line in lines)
        return f"static const double {name}{shape} = {{\n{inside}\n}};\n"
    return f"static const double {name}{shape} = {{{lines[0]}}};\n"


def _comment(line: str) -> str:
    """A line inside a comment, in ASCII, which nothing in it ends.

    Two question marks could be another character, and some signs show the lines around them in another order.
    """
    line = "".join(one if " " <= one <= "~" else f"<U+{ord(one):04X}>" for one in " ".join(line.splitlines()))
    for found in ("*/", "/*", "??"):
        while found in line:
            line = line.replace(found, " ".join(found))
    return line


def _text(label: str) -> str:
    """A string literal; what is not plain ASCII is written byte by byte."""
    plain = {byte: chr(byte) for byte in range(32, 127) if chr(byte) not in '"\\?'}
    return (
        '"' + "".join(plain.get(byte, f"\\{byte:03o}") for byte in label.encode(errors="surrogatepass")) + '"'
    )
