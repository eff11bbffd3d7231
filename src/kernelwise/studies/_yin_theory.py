"""What paper 004 (Yin and Yin 2016) says of ESDR itself in section 3, and whether it is so.

ESDR is to be 1 for classes that are mixed completely, to go to 1 for σ → 0, and to the ESDR of the original
space for σ → ∞. Equations 11 and 12 count every sample as a neighbour of itself, so that for n samples 1 is
n/(n − 2); criterion "esdr-unbiased" leaves these pairs out.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.stats import spearmanr
from sklearn.preprocessing import StandardScaler

from kernelwise.criteria import as_criterion
from kernelwise.kernels import RBF, Linear, Polynomial, Sigmoid
from kernelwise.metrics import esdr, inter_class_distance
from kernelwise.studies._claims import IN_PART, Tables, claim, judged
from kernelwise.studies._table import Row

#: Numbers of samples whose labels are drawn at random, and how often.
SIZES, N_DRAWS = (10, 30, 100, 300), 200
#: σ at the two ends, on standardised features; the paper's range is from 2⁻⁸ to 2⁹.
NARROW, WIDE = 2.0**-12, (2.0**6, 2.0**9)


def mixed_rows(n_draws: int = N_DRAWS) -> list[Row]:
    """ESDR of two classes that are one: standard normal points with random labels, at σ = 1."""
    unbiased = as_criterion("esdr-unbiased")
    rows = []
    for n in SIZES:
        values = []
        for draw in range(n_draws):
            random = np.random.default_rng([n, draw])
            K = RBF(0.5)(random.normal(size=(n, 2)))
            y = random.permutation(np.arange(n) % 2)
            values.append([esdr(K, y), unbiased.score(K, y)])
        plain, without = np.mean(values, axis=0)
        rows.append(
            {
                "samples": n,
                "draws": n_draws,
                "ESDR": float(plain),
                "n/(n − 2)": n / (n - 2),
                "without self-pairs": float(without),
            }
        )
    return rows


def limit_rows(name: str, X: np.ndarray, y: np.ndarray) -> Row:
    """ESDR of a set at both ends of σ, beside its limits."""
    Z = StandardScaler().fit_transform(X)
    original = esdr(Linear()(Z), y)
    row: Row = {"data": name, "original space": original}
    for sigma in WIDE:
        away = abs(esdr(RBF(0.5 / sigma**2)(Z), y) / original - 1)
        row[f"relative difference at σ = 2^{np.log2(sigma):.0f}"] = float(away)
    row["at σ = 2^-12"] = esdr(RBF(0.5 / NARROW**2)(Z), y)
    row["n/(n − 2)"] = len(y) / (len(y) - 2)
    row["repeated rows"] = len(Z) - len(np.unique(Z, axis=0))
    return row


def spearman(first: np.ndarray, second: np.ndarray) -> float | None:
    """Rank correlation; None where one of the two does not vary."""
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    return float(spearmanr(first, second).statistic)


def equation_16() -> float:
    """The largest relative difference of equation 16's two sides, for kernels that are not normalised."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 3)), np.repeat([-1, 1], [20, 30])
    worst = 0.0
    for kernel in (Linear(), Polynomial(3), Sigmoid(0.1, 0.5)):
        K = kernel(X)
        square = K.diagonal()[:, None] - 2 * K + K.diagonal()
        a, b, c = (square[np.ix_(y == i, y == j)].mean() for i, j in ((-1, 1), (-1, -1), (1, 1)))
        expected = inter_class_distance(K, y)
        worst = max(worst, abs(a - b / 2 - c / 2 - expected) / abs(expected))
    return worst


def claims(tables: Tables) -> Iterator[Row]:
    """The claims of section 3 that the tables at hand can judge."""
    if "figure3" in tables:
        yield from _of_gaussians(tables)
        yield from _of_formulas()
    if "mixed" in tables:
        yield _of_mixed(tables["mixed"], tables.get("limits", []))
    if tables.get("limits"):
        yield from _of_limits(tables["limits"])


def _of_gaussians(tables: Tables) -> Iterator[Row]:
    images: dict[tuple[int, int], np.ndarray] = {}
    for row in tables["figure3"]:
        key = (row["row"], row["column"])
        images[key] = np.append(images.get(key, np.empty(0)), row["esdr"])
    # How far the curve comes down from its peak, as a share of its height: 0 for a step, 1 for an impulse.
    falls = {key: float((v.max() - v[-1]) / (v.max() - 1.0)) for key, v in images.items()}
    apart = {gap: np.mean([f for (i, j), f in falls.items() if abs(i - j) == gap]) for gap in range(5)}
    yield claim(
        "ESDR of two Gaussians is a step over σ where their covariances are alike, and becomes an impulse as "
        "they differ",
        "section 3.3, figures 2 and 3",
        "Mean fall after the peak, as a share of its height, where row and column differ by 0 to 4: "
        + ", ".join(f"{apart[gap]:.2f}" for gap in range(5)),
        judged(bool(np.all(np.diff([apart[gap] for gap in range(5)]) >= 0) and apart[0] < 0.01)),
        "These values come from a closed form, without sampling",
    )
    if "figure9" in tables:
        found = []
        for image in dict.fromkeys((row["row"], row["column"]) for row in tables["figure9"]):
            of_image = [row for row in tables["figure9"] if (row["row"], row["column"]) == image]
            r = spearman(*(np.array([row[c] for row in of_image]) for c in ("esdr", "cv accuracy")))
            found.append((image, np.nan if r is None else r))
        yield claim(
            "The accuracy on samples of images (2, 2) and (3, 5) varies as ESDR does",
            "section 4.2, figure 9",
            "Rank correlation over σ: " + ", ".join(f"{r:.2f} for image {image}" for image, r in found),
            judged(all(r > 0.7 for _, r in found), any(r > 0.7 for _, r in found)),
            "We call a correlation above 0.7 agreement; 100 samples of each class, one draw",
        )


def _of_mixed(rows: list[Row], limits: list[Row]) -> Row:
    worst = max(abs(row["without self-pairs"] - 1) for row in rows)
    below = [f"{row['data']} {row['original space']:.3f}" for row in limits if row["original space"] < 1]
    lower = f". 1 is not the least value of ESDR: in the original space {', '.join(below)}" if below else ""
    return claim(
        "ESDR is normalised: it is 1 for classes that are mixed completely",
        "sections 3.2 and 4.1",
        "Mean ESDR of random labels: "
        + ", ".join(f"{row['ESDR']:.3f} for {row['samples']} samples" for row in rows),
        judged(all(abs(row["ESDR"] - 1) < 0.001 for row in rows), worst < 0.01),
        "The claim holds for distributions. For n samples ESDR is n/(n − 2), since equations 11 and 12 count "
        f"each of them as its own neighbour; without these pairs we find 1 to {worst:.1g}{lower}",
    )


def _of_limits(rows: list[Row]) -> Iterator[Row]:
    columns = [column for column in rows[0] if column.startswith("relative")]
    worst = [max(row[column] for row in rows) for column in columns]
    yield claim(
        "For σ → ∞ ESDR goes to that of the original space, for data under any distribution",
        "section 3.3, equation 19",
        "Largest relative difference over the sets: "
        + ", ".join(
            f"{value:.1g} {column.removeprefix('relative difference ')}"
            for value, column in zip(worst, columns, strict=True)
        ),
        judged(worst[-1] < 1e-3 and worst[-1] < worst[0]),
        "The difference falls like σ⁻². A distribution without second moments, such as Cauchy's, which the "
        "paper names, has no ESDR in the original space; its samples have one",
    )
    distinct, copied = ([row for row in rows if bool(row["repeated rows"]) == b] for b in (False, True))
    away = [abs(row["at σ = 2^-12"] / row["n/(n − 2)"] - 1) for row in distinct]
    parts = [f"n/(n − 2) to {max(away):.0e} on {len(away)} sets of different rows"] if away else []
    parts += [
        f"{row['data']}, with repeated rows, {row['at σ = 2^-12']:.4f} in place of {row['n/(n − 2)']:.4f}"
        for row in copied
    ]
    yield claim(
        "For σ → 0 ESDR goes to 1: the classes are mixed completely",
        "section 3.3",
        f"At σ = 2⁻¹² {'; '.join(parts)}",
        judged(False, all(gap < 1e-6 for gap in away)),
        "The claim holds for distributions with a density. ESDR of samples is n/(n − 2), and more if a class "
        "has repeated rows, whose distance is zero at every width",
    )


def _of_formulas() -> Iterator[Row]:
    yield claim(
        "DBTC takes account of the spread within classes only with a normalised kernel, and ESDR is free of "
        "this",
        "section 3.2, equation 16",
        f"Linear, polynomial and sigmoid kernels satisfy equation 16 to {equation_16():.0e}",
        judged(False),
        "k(x, x) is on both sides of equation 16 and cancels, so that it holds for every kernel",
    )
    yield claim(
        "The slight difference of the numerators of ESDR and J4 leads to great disparities",
        "section 3.2",
        "For classes of one size ESDR = 1 + 2 J4, so that both choose the same σ",
        IN_PART,
        "They can differ only where the classes differ in size and in spread",
    )
