"""``python -m benchmarks.coverage``: do intervals, sets and p-values hold what they promise?

Twenty regressions and twenty classifications, real and simulated, each trained on up to 1000 rows and asked
about others: the share of rows that is covered beside what was asked, how wide intervals and how large sets
are, and the same of MAPIE around the same machine, of gradient boosting with quantile loss, and of neo-ls-svm
if it is installed. Then noise that is uneven or skewed, by tenth of x; new groups and later rows; and the
p-values of usual rows. CPU seconds are those of the fit and of the answers to all test rows.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import false_discovery_control, kstest
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import (
    load_diabetes,
    make_classification,
    make_friedman1,
    make_friedman2,
    make_friedman3,
)
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import KFold, TimeSeriesSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from kernelwise import SVC, SVR, TunedOneClassSVM, TunedSVC, TunedSVR
from kernelwise.conformal import conformal_quantile
from kernelwise.datasets.loader import _find_file

ASKED = (0.8, 0.9, 0.95)
MIDDLE = 0.9  # the coverage at which methods are compared
MOST_TRAINED, MOST_TESTED = 1000, 3000
#: Standard errors below what was asked that chance allows among sixty shares.
CHANCE = 3.0
Data = tuple[Any, np.ndarray]


def of_file(name: str) -> Callable[[np.random.Generator], Data]:
    """Rows of a file, in an order of chance; words as columns of zeros and ones."""

    def read(rng: np.random.Generator) -> Data:
        path = _find_file(name)
        if path is None:
            raise FileNotFoundError(f"there is no {name}.csv in the folders of KERNELWISE_DATA")
        table = pd.read_csv(path).dropna()
        table = table.iloc[rng.permutation(len(table))[: MOST_TRAINED + MOST_TESTED]]
        return pd.get_dummies(table.iloc[:, :-1]).to_numpy(float), table.iloc[:, -1].to_numpy()

    return read


def of_function(
    n: int, n_columns: int, mean: Callable[..., np.ndarray], noise: Callable[..., np.ndarray]
) -> Callable[[np.random.Generator], Data]:
    """n training rows and as many others as are tested, with y = mean(X) + noise(X, rng)."""

    def draw(rng: np.random.Generator) -> Data:
        X = rng.uniform(-2.0, 2.0, (max(n + MOST_TESTED, 3 * n // 2), n_columns))
        return X, mean(X) + noise(X, rng)

    draw.n_trained = n  # type: ignore[attr-defined]
    return draw


def wave(X: np.ndarray) -> np.ndarray:
    return np.sin(2.0 * X[:, 0])


def normal(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return 0.3 * rng.normal(size=len(X))


def uneven(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Noise that grows with a column which has nothing to do with the mean."""
    return (0.05 + 0.4 * np.abs(X[:, 1])) * rng.normal(size=len(X))


def skewed(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return (0.1 + 0.3 * (X[:, 0] + 2.0)) * rng.exponential(size=len(X))


def heavy(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return 0.3 * rng.standard_t(3.0, size=len(X))


def steps(X: np.ndarray) -> np.ndarray:
    return np.floor(X[:, 0]) * np.sign(X[:, 1])


def friedman(make: Callable[..., Data], noise: float) -> Callable[[np.random.Generator], Data]:
    return lambda rng: make(MOST_TRAINED + MOST_TESTED, noise=noise, random_state=int(rng.integers(1 << 31)))


REGRESSIONS: dict[str, Callable[[np.random.Generator], Data]] = {
    "diabetes": lambda rng: _shuffled(load_diabetes(return_X_y=True), rng),
    **{
        name: of_file(name)
        for name in (
            *("abalone", "airfoil_self_noise", "auto_mpg", "concrete", "energy_cooling", "energy_heating"),
            *("forest_fires", "servo", "wine_quality_red"),
        )
    },
    "friedman1": friedman(make_friedman1, 1.0),
    "friedman2": friedman(make_friedman2, 100.0),
    "friedman3": friedman(make_friedman3, 0.1),
    "even noise, 100 rows": of_function(100, 2, wave, normal),
    "even noise": of_function(600, 2, wave, normal),
    "uneven noise": of_function(1000, 3, wave, uneven),
    "uneven noise, 200 rows": of_function(200, 3, wave, uneven),
    "skewed noise": of_function(600, 2, wave, skewed),
    "heavy tails": of_function(600, 2, wave, heavy),
    "steps": of_function(600, 2, steps, normal),
}
CLASSIFICATIONS: dict[str, Callable[[np.random.Generator], Data]] = {
    **{
        name: of_file(name)
        for name in (
            *("heart_statlog", "ilpd", "vertebral_2c", "banana", "banknote", "breast_cancer_wisconsin"),
            *("segment", "satimage_train", "letter_train", "dna", "waveform", "pendigits_train"),
            *("tic_tac_toe", "ringnorm", "phoneme", "qsar_biodegradation", "steel_plates_faults"),
            *("mfeat_fou", "planning_relax"),
        )
    },
    "overlap": lambda rng: make_classification(
        *(MOST_TRAINED + MOST_TESTED, 10), flip_y=0.1, class_sep=0.7, random_state=int(rng.integers(1 << 31))
    ),
}


def _shuffled(data: Data, rng: np.random.Generator) -> Data:
    order = rng.permutation(len(data[1]))
    return data[0][order], data[1][order]


def split(read: Callable[[np.random.Generator], Data], seed: int) -> tuple[Any, ...]:
    """Training rows and test rows: two thirds of a small set, and the rest."""
    X, y = read(np.random.default_rng(seed))
    n = getattr(read, "n_trained", min(MOST_TRAINED, 2 * len(y) // 3))
    tested = slice(n, n + MOST_TESTED)
    return X[:n], y[:n], X[tested], y[tested]


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    started = time.process_time()
    return work(), time.process_time() - started


def covered(intervals: np.ndarray, y: np.ndarray) -> np.ndarray:
    return (intervals[:, 0] <= y) & (y <= intervals[:, 1])


def by_tenth(hit: np.ndarray, order_by: np.ndarray) -> np.ndarray:
    """The share that is covered in each tenth of the rows, in the order of some number."""
    return np.array([hit[part].mean() for part in np.array_split(np.argsort(order_by, kind="stable"), 10)])


def allowed(asked: float, n_calibrated: int, n_tested: int) -> float:
    """The least share that chance allows."""
    return asked - CHANCE * np.sqrt(asked * (1.0 - asked) * (1.0 / n_calibrated + 1.0 / n_tested))


# -- rivals ------------------------------------------------------------------------------------------------
def same_machine(model: TunedSVR) -> Any:
    """An untrained machine of the chosen setting, which scales rows and targets as the tuned one does."""
    svr = SVR(model.kernel_, C=model.C_, epsilon=model.epsilon_)
    return TransformedTargetRegressor(make_pipeline(StandardScaler(), svr), transformer=StandardScaler())


def mapie_intervals(model: TunedSVR, X: Any, y: np.ndarray, new: Any) -> np.ndarray:
    from mapie.regression import CrossConformalRegressor

    theirs = CrossConformalRegressor(same_machine(model), MIDDLE, method="plus", cv=5, random_state=0)
    return theirs.fit_conformalize(X, y).predict_interval(new)[1][:, :, 0]


def boosted_intervals(model: TunedSVR, X: Any, y: np.ndarray, new: Any) -> np.ndarray:
    ends = (0.5 - MIDDLE / 2.0, 0.5 + MIDDLE / 2.0)
    fitted = [
        HistGradientBoostingRegressor(loss="quantile", quantile=q, random_state=0).fit(X, y) for q in ends
    ]
    return np.sort(np.column_stack([one.predict(new) for one in fitted]), axis=1)


def neo_intervals(model: TunedSVR, X: Any, y: np.ndarray, new: Any) -> np.ndarray:
    from neo_ls_svm import NeoLSSVM

    return np.asarray(NeoLSSVM().fit(X, y).predict_interval(new, coverage=MIDDLE))


RIVALS = {"MAPIE": mapie_intervals, "boosting": boosted_intervals}
if importlib.util.find_spec("neo_ls_svm") is not None:
    RIVALS["neo-ls-svm"] = neo_intervals


def mapie_sets(model: TunedSVC, X: Any, y: np.ndarray, new: Any) -> np.ndarray:
    from mapie.classification import CrossConformalClassifier

    svc = make_pipeline(StandardScaler(), SVC(kernel=model.kernel_, C=model.C_, probability=True))
    theirs = CrossConformalClassifier(svc, MIDDLE, conformity_score="lac", cv=5, random_state=0)
    return theirs.fit_conformalize(X, y).predict_set(new)[1][:, :, 0]


# -- parts -------------------------------------------------------------------------------------------------
def regressions(names: list[str], n_repeats: int, cv: Any) -> None:
    """Coverage and width of intervals."""
    heads = " ".join(f"{name:>22}" for name in RIVALS)
    print(
        f"{'regression':24} {'rows':>5} {'80 %':>6} {'90 %':>6} {'95 %':>6} {'tenths':>13} {'width':>6}",
        end="",
    )
    print(f" {'plain':>6} {'fit s':>6} {'ask s':>6}   beside it, 90 %: share, width over ours, s{heads}")
    shares, widths, below = [], [], []
    for name in names:
        for seed in range(n_repeats):
            X, y, new, truth = split(REGRESSIONS[name], seed)
            y, truth = y.astype(float), truth.astype(float)
            model, fit_seconds = timed(lambda X=X, y=y: TunedSVR(cv=cv).fit(X, y))
            found, seconds = timed(lambda m=model, new=new: [m.predict_interval(new, c) for c in ASKED])
            hits = [covered(one, truth) for one in found]
            width = np.ptp(found[1], axis=1)
            record = model.fit_record_
            limit = conformal_quantile(np.abs(record.truth - record.predicted), record.weight, MIDDLE)
            share = [float(hit.mean()) for hit in hits]
            shares.append(share)
            below += [
                (name, c) for c, s in zip(ASKED, share, strict=True) if s < allowed(c, len(y), len(truth))
            ]
            tenths = by_tenth(hits[1], width)
            line = f"{name:24} {len(y):5} " + " ".join(f"{100 * s:6.1f}" for s in share)
            line += f"  {100 * tenths.min():4.0f} to {100 * tenths.max():3.0f}"
            line += f" {width.mean() / truth.std():6.2f} {2.0 * limit / width.mean():6.2f}"
            line += f" {fit_seconds:6.2f} {seconds / len(ASKED):6.3f}  "
            row = [2.0 * limit / width.mean()]
            for rival in RIVALS.values() if seed == 0 else ():
                theirs, spent = timed(lambda r=rival, a=(model, X, y, new): r(*a))
                ratio = float(np.ptp(theirs, axis=1).mean() / width.mean())
                row += [ratio, covered(theirs, truth).mean(), spent]
                line += f" {100 * row[-2]:8.1f} {ratio:6.2f} {spent:6.2f}"
            if seed == 0:
                widths.append(row)
            print(line, flush=True)
    summary(shares, below)
    mean = np.mean(widths, axis=0)
    print(f"  width of plain intervals over ours {np.exp(np.mean(np.log(np.array(widths)[:, 0]))):.3f}")
    for k, name in enumerate(RIVALS):
        ratio = np.exp(np.mean(np.log(np.array(widths)[:, 1 + 3 * k])))
        print(
            f"  {name}: width over ours {ratio:.3f}, "
            f"covers {100 * mean[2 + 3 * k]:.1f} %, {mean[3 + 3 * k]:.2f} s"
        )


def classifications(names: list[str], n_repeats: int, cv: Any) -> None:
    """Coverage and size of sets."""
    print(f"\n{'classification':24} {'rows':>5} {'right':>6} {'80 %':>6} {'90 %':>6} {'95 %':>6}", end="")
    print(
        f" {'size':>6} {'empty':>6} {'worst class':>12} {'by class':>9} {'fit s':>6}   "
        "MAPIE, 90 %: share, size, s"
    )
    shares, below, sizes, beside = [], [], [], []
    for name in names:
        for seed in range(n_repeats):
            X, y, new, truth = split(CLASSIFICATIONS[name], seed)
            model, fit_seconds = timed(lambda X=X, y=y: TunedSVC(cv=cv).fit(X, y))
            index = np.searchsorted(model.classes_, truth)
            rows = np.arange(len(truth))
            found = [model.predict_set(new, c) for c in ASKED]
            share = [float(one[rows, index].mean()) for one in found]
            shares.append(share)
            below += [
                (name, c) for c, s in zip(ASKED, share, strict=True) if s < allowed(c, len(y), len(truth))
            ]
            often = [k for k in range(len(model.classes_)) if np.sum(index == k) >= 20]
            by_class = model.predict_set(new, MIDDLE, "class")
            worst = [min(one[rows, index][index == k].mean() for k in often) for one in (found[1], by_class)]
            line = f"{name:24} {len(y):5} {100 * np.mean(model.predict(new) == truth):6.1f} "
            line += " ".join(f"{100 * s:6.1f}" for s in share) + f" {found[1].sum(axis=1).mean():6.2f}"
            line += (
                f" {100 * np.mean(~found[1].any(axis=1)):6.1f} {100 * worst[0]:12.1f} {100 * worst[1]:9.1f}"
            )
            line += f" {fit_seconds:6.2f}  "
            sizes.append(found[1].sum(axis=1).mean())
            if seed == 0 and "MAPIE" in RIVALS:
                theirs, spent = timed(lambda a=(model, X, y, new): mapie_sets(*a))
                beside.append([sizes[-1], theirs.sum(axis=1).mean(), spent])
                line += f" {100 * theirs[rows, index].mean():8.1f} {beside[-1][1]:6.2f} {spent:6.2f}"
            print(line, flush=True)
    summary(shares, below)
    print(f"  mean size {np.mean(sizes):.3f}")
    if beside:
        ours, theirs, spent = np.mean(beside, axis=0)
        print(f"  first split {ours:.3f}; MAPIE around the same machine {theirs:.3f}, {spent:.2f} s")


def summary(shares: list[list[float]], below: list[tuple[str, float]]) -> None:
    """Means over all sets, and those that are covered less than chance allows."""
    for asked, mean in zip(ASKED, np.mean(shares, axis=0), strict=True):
        print(f"  asked {100 * asked:g} %: covered {100 * mean:.1f} % on average")
    told = ", ".join(f"{name} at {asked:g}" for name, asked in below)
    print(f"  less than chance allows: {told or 'none'}")


def uneven_noise(n_repeats: int) -> None:
    """Coverage by tenth of x, of adaptive intervals and of those of one width."""
    print("\n90 % intervals by tenth of x, mean of the repeats: least and largest share")
    for name, column in (("uneven noise", 1), ("skewed noise", 0)):
        tenths = []
        for seed in range(n_repeats):
            X, y, new, truth = split(REGRESSIONS[name], 100 + seed)
            model = TunedSVR().fit(X, y)
            record, predicted = model.fit_record_, model.predict(new)
            limit = conformal_quantile(np.abs(record.truth - record.predicted), record.weight, MIDDLE)
            x = np.abs(new[:, column]) if column else new[:, column]
            hits = covered(model.predict_interval(new), truth), np.abs(truth - predicted) <= limit
            tenths.append([by_tenth(hit, x) for hit in hits])
        for kind, found in zip(("adaptive", "plain"), np.mean(tenths, axis=0), strict=True):
            print(f"  {name:14} {kind:9} {100 * found.min():5.1f} to {100 * found.max():5.1f} %", flush=True)


def groups_and_time(n_repeats: int) -> None:
    """Coverage for new groups and later rows, with and without folds that know of them."""
    rng, found = (
        np.random.default_rng(0),
        {"groups=": [], "no groups": [], "TimeSeriesSplit": [], "no order": []},
    )
    for _ in range(n_repeats):

        def draw(n_groups: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            group = np.repeat(np.arange(n_groups), 10)
            X = rng.uniform(-1.0, 1.0, (n_groups, 4))[group] + 0.15 * rng.normal(size=(len(group), 4))
            return X, rng.normal(size=n_groups)[group] + 0.1 * rng.normal(size=len(group)), group

        X, y, group = draw(60)
        new, truth, _ = draw(200)
        for name, given in (("groups=", group), ("no groups", None)):
            found[name].append(
                covered(TunedSVR("rbf").fit(X, y, groups=given).predict_interval(new), truth).mean()
            )
        level = np.cumsum(0.15 * rng.normal(size=700))
        X = np.column_stack([np.arange(700.0), rng.normal(size=700)])
        y = level + X[:, 1] + 0.3 * rng.normal(size=700)
        for name, cv in (("TimeSeriesSplit", TimeSeriesSplit(6)), ("no order", "auto")):
            with_cv = TunedSVR("rbf", cv=cv).fit(X[:600], y[:600])
            found[name].append(covered(with_cv.predict_interval(X[600:]), y[600:]).mean())
    print("\n90 % intervals for new groups and later rows (a random walk)")
    for name, shares in found.items():
        print(f"  {name:16} {100 * np.mean(shares):5.1f} %")


def hard_cases(n_repeats: int) -> None:
    """Where sets and intervals cover less than asked: few rows, and classes without signal."""
    print(f"\n## limits\n\nFew rows, and classes without signal: means of {n_repeats} draws\n")
    print("| case | " + " | ".join(f"{asked:.0%} asked" for asked in ASKED) + " |")
    print("|---" * (1 + len(ASKED)) + "|")
    for n in (20, 50, 100):
        draw, found = of_function(n, 4, wave, normal), []
        for seed in range(n_repeats):
            X, y = draw(np.random.default_rng(seed))
            model = TunedSVR().fit(X[:n], y[:n])
            found.append([covered(model.predict_interval(X[n:], asked), y[n:]).mean() for asked in ASKED[:2]])
        print(
            f"| intervals, {n} rows | "
            + " | ".join(f"{share:.1%}" for share in np.mean(found, axis=0))
            + " | |"
        )
    for what, cv in (
        ("stratified folds", "auto"),
        ("KFold(5, shuffle=True)", KFold(5, shuffle=True, random_state=0)),
    ):
        found = []
        for seed in range(n_repeats):
            rng = np.random.default_rng(seed)
            X, y = rng.normal(size=(200 + MOST_TESTED, 3)), rng.integers(0, 3, 200 + MOST_TESTED)
            model = TunedSVC(cv=cv).fit(X[:200], y[:200])
            rows = np.arange(MOST_TESTED)
            found.append([model.predict_set(X[200:], asked)[rows, y[200:]].mean() for asked in ASKED])
        print(
            f"| three classes, 200 rows, {what} | "
            + " | ".join(f"{share:.1%}" for share in np.mean(found, axis=0))
            + " |"
        )


def usual_rows(n_repeats: int) -> None:
    """p-values of usual rows, and false discoveries among rows of which a tenth is far away."""
    print(
        "\np-values: share of usual rows at most α; KS test of those up to 0.3, twenty rows of each fit; "
        "false discoveries"
    )
    for name, n_columns, kind in (("normal", 3, "normal"), ("normal", 8, "normal"), ("heavy tails", 5, "t")):
        rng = np.random.default_rng(0)

        def draw(n: int, n_columns: int = n_columns, kind: str = kind, rng: Any = rng) -> np.ndarray:
            size = (n, n_columns)
            return rng.normal(size=size) if kind == "normal" else rng.standard_t(4.0, size=size)

        p, false, power = [], [], []
        for _ in range(8 * n_repeats):
            model = TunedOneClassSVM().fit(draw(400))
            p.append(model.p_values(draw(500)))
            rows = np.vstack([draw(180), 8.0 + draw(20)])
            said = false_discovery_control(model.p_values(rows)) <= 0.1
            false.append(said[:180].sum() / max(1, said.sum()))
            power.append(said[180:].mean())
        ranked = np.concatenate([one[:20][one[:20] < 1.0] for one in p])
        shares = ", ".join(f"{np.mean(np.array(p) <= a):.3f} (α = {a:g})" for a in (0.01, 0.05, 0.1, 0.2))
        uniform = kstest(ranked / 0.3, "uniform").pvalue
        print(f"  {name:12} {n_columns} columns: {shares}; KS p = {uniform:.2f}", end="")
        print(f"; false {100 * np.mean(false):.1f} % of 10, found {100 * np.mean(power):.0f} %", flush=True)


def main(arguments: list[str] | None = None) -> None:
    """Print all parts, or some of the sets."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    known = [*REGRESSIONS, *CLASSIFICATIONS]
    parser.add_argument("--sets", nargs="*", choices=known, default=known, metavar="NAME")
    parser.add_argument("--repeats", type=int, default=2, help="splits of each set (default: %(default)s)")
    parser.add_argument("--cv", default="auto", help="folds of the search (default: %(default)s)")
    parser.add_argument(
        "--only-sets", action="store_true", help="no simulations of noise, groups and p-values"
    )
    parser.add_argument("--rivals", nargs="*", choices=RIVALS, default=list(RIVALS), metavar="NAME")
    options = parser.parse_args(arguments)
    for name in set(RIVALS) - set(options.rivals):
        del RIVALS[name]
    cv = options.cv if options.cv == "auto" else int(options.cv)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        TunedSVR("rbf").fit(*make_friedman1(60))
        chosen = [name for name in REGRESSIONS if name in options.sets]
        if chosen:
            regressions(chosen, options.repeats, cv)
        chosen = [name for name in CLASSIFICATIONS if name in options.sets]
        if chosen:
            classifications(chosen, options.repeats, cv)
        if not options.only_sets:
            uneven_noise(4 * options.repeats)
            groups_and_time(4 * options.repeats)
            usual_rows(options.repeats)
            hard_cases(20 * options.repeats)


if __name__ == "__main__":
    main()
