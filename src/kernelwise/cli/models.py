"""From the options of ``kernelwise tune`` and ``kernelwise detect`` to an estimator, and to its labels."""

from __future__ import annotations

import os
import sys
from collections import Counter
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import get_scorer_names

from kernelwise.cli.options import check_choice, meant
from kernelwise.cli.output import UserError, say
from kernelwise.criteria import CRITERIA
from kernelwise.estimators import TunedOneClassSVM, TunedSVC, TunedSVR
from kernelwise.estimators.costs import check_threshold_score
from kernelwise.kernels import KERNELS, Kernel
from kernelwise.kernels.precomputed import PRECOMPUTED_DISTANCE
from kernelwise.optimizers import OPTIMIZERS
from kernelwise.search.families.one_class import CRITERIA as CRITERIA_WITHOUT_LABELS
from kernelwise.search.families.regression import ALIGNMENTS, Regression
from kernelwise.search.scoring.scores import (
    OF_NUMBERS,
    OF_ONE_CLASS,
    OF_TWO,
    PositiveScore,
    is_of_numbers,
    score_problem,
)
from kernelwise.search.settings import EFFORTS
from kernelwise.solvers.regression import check_quantiles

if TYPE_CHECKING:
    from kernelwise.cli.detect import Detection
    from kernelwise.cli.samples import Samples
    from kernelwise.cli.tune import Tuning

SCALES: dict[str, str | None] = {"standard": "standard", "minmax": "minmax", "none": None}
SCALES_OF_DETECTION: dict[str, str | None] = {"robust": "robust", **SCALES}
SCORES_OF_DETECTION = ("roc_auc", "average_precision")
SOLVERS = ("auto", "exact", "nystroem")
#: Values that --log2c or --log2g may ask for, at most.
MAX_CS = 1000
#: Labels that say by themselves which rows are unusual; compared without capitals.
UNUSUAL = (
    "-1",
    "-1.0",
    "outlier",
    "anomaly",
    "anomalous",
    "abnormal",
    "unusual",
    "fraud",
    "novelty",
    "true",
    "yes",
)
#: Values of --blend.
BLENDS = {"auto": "auto", "yes": True, "no": False}
#: Unusual rows are at most this share of the usual ones, or the rarer of two labels may mean either.
RARE = 1 / 3


def make_model(task: str, options: Tuning) -> TunedSVC | TunedSVR:
    """The estimator that the options describe; what cannot be right is refused before a file is read."""
    check_numbers(options.n_jobs, options.time_budget)
    criterion = _criterion(options.criterion, options.search, task)
    parameters: dict[str, Any] = {
        "kernel": _kernel(options.kernel),
        "criterion": criterion,
        "search": options.search,
        "Cs": None if options.log2c is None else powers_of_two("--log2c", options.log2c),
        "cv": _folds(options.cv),
        "scoring": _scoring(options.scoring, None if options.threshold else options.positive, task),
        "scale": SCALES[check_choice("--scale", options.scale, SCALES)],
        "solver": check_choice("--solver", options.solver, SOLVERS),
        "effort": check_choice("--effort", options.effort, EFFORTS),
        "blend": BLENDS[check_choice("--blend", options.blend, BLENDS)],
        "time_budget": options.time_budget,
        "n_jobs": options.n_jobs,
        "random_state": options.seed,
    }
    model: TunedSVC | TunedSVR
    if task == "classification":
        if options.log_target:
            raise UserError("--log-target works for numbers only. Leave it out, or add --task regression.")
        if options.quantile is not None:
            raise UserError("--quantile works for numbers only. Leave it out, or add --task regression.")
        if options.class_weight is not None:
            check_choice("--class-weight", options.class_weight, ["balanced"])
        model = TunedSVC(**parameters, class_weight=options.class_weight)
    else:
        of_classes = {
            "--class-weight": options.class_weight,
            "--threshold": options.threshold,
            "--cost": options.costs,
        }
        for option, value in of_classes.items():
            if value is not None:
                raise UserError(f"{option} does not work with --task regression. Leave it out.")
        parameters["quantile"] = None if options.quantile is None else quantiles(options.quantile)
        if options.quantile is not None and options.solver == "nystroem":
            raise UserError("--quantile does not work with --solver nystroem. Leave out --solver.")
        model = TunedSVR(**parameters, target_transform="log" if options.log_target else None)
    model._settings()
    return model


def quantiles(text: str) -> float | list[float]:
    """The quantiles of --quantile: a number, or several that increase, separated by commas."""
    try:
        values = [float(part) for part in text.split(",")]
        check_quantiles(values, "--quantile")
    except ValueError:
        raise UserError(
            f"--quantile must be a number between 0 and 1, or several in increasing order, such as "
            f"0.1,0.5,0.9, got {text!r}."
        ) from None
    return values if len(values) > 1 else values[0]


def make_detector(options: Detection) -> TunedOneClassSVM:
    """The estimator that the options describe; what cannot be right is refused before a file is read."""
    check_numbers(options.n_jobs, options.time_budget)
    share = options.contamination
    if share is not None and not 0 < share <= 0.5:
        raise UserError(f"--contamination must be a share above 0 and at most 0.5, got {share:g}.")
    if options.labels is None:
        for name in ("outlier", "scoring"):
            if getattr(options, name) is not None:
                raise UserError(
                    f"--{name} needs labels. Name their column with --labels, or leave out --{name}."
                )
    if options.scoring is not None:
        check_choice("--scoring", options.scoring, SCORES_OF_DETECTION)
    kernels = [name for name in KERNELS if not name.startswith("precomputed")]
    return TunedOneClassSVM(
        kernel=check_choice("--kernel", options.kernel, ("auto", *kernels)),
        contamination=share,
        criterion=check_choice("--criterion", options.criterion, ("auto", *CRITERIA_WITHOUT_LABELS)),
        scoring=options.scoring,
        scale=SCALES_OF_DETECTION[check_choice("--scale", options.scale, SCALES_OF_DETECTION)],
        solver=check_choice("--solver", options.solver, SOLVERS),
        time_budget=options.time_budget,
        n_jobs=options.n_jobs,
        random_state=options.seed,
    )


def check_numbers(n_jobs: int | None, time_budget: float | None = None) -> None:
    """Raise if a number of threads or seconds cannot be right."""
    if n_jobs == 0:
        raise UserError("--n-jobs must be a number of threads, or -1 for all cores, got 0.")
    if time_budget is not None and not 0 < time_budget < np.inf:
        raise UserError(f"--time-budget must be a positive number of seconds, got {time_budget:g}.")


def _kernel(text: str) -> str | Kernel | list[str | Kernel]:
    """A name, or several with commas between them; module:Class is a kernel of the user's own."""
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if ":" in name:
            continue
        if name in ("precomputed", PRECOMPUTED_DISTANCE):
            matrix = "a Gram matrix" if name == "precomputed" else "a matrix of distances"
            raise UserError(f"--kernel {name} needs {matrix}, not rows of features. Use it in Python.")
        if name == "auto" and len(names) > 1:
            raise UserError("--kernel auto tries several kernels by itself. Leave out auto, or the others.")
        if not name:
            raise UserError(f"--kernel {text} has an empty name. Give names such as rbf,laplacian.")
        check_choice("--kernel", name, ("auto", *KERNELS))
    kernels = [_own_kernel(name) if ":" in name else name for name in names]
    return kernels[0] if len(kernels) == 1 else kernels


def _own_kernel(text: str) -> Kernel:
    """The kernel that module:Class names; the module may be a file of the working folder."""
    module, _, name = text.partition(":")
    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        made = getattr(import_module(module), name)()
    except ImportError as error:
        raise UserError(f"--kernel {text}: there is no module {module} ({error}).") from error
    except AttributeError as error:
        raise UserError(f"--kernel {text}: the module {module} has no {name}.") from error
    except TypeError as error:
        raise UserError(f"--kernel {text}: {name}() needs arguments. Give them default values.") from error
    if not isinstance(made, Kernel):
        raise UserError(f"--kernel {text}: {name} is no kernel. Derive it from kernelwise.kernels.Kernel.")
    return made


#: The page of the documentation that lists all criteria.
CRITERIA_PAGE = 'the page "Which criterion, when" of the documentation'
#: Scores of probabilities that a message names.
USUAL_OF_PROBABILITIES = ("neg_log_loss", "neg_brier_score")


def _criterion(name: str, search: str | None, task: str) -> str:
    by_class = ("auto", *CRITERIA)
    by_number = ("auto", *Regression.by_score, *ALIGNMENTS)
    names = dict.fromkeys(by_class if task == "classification" else by_number)
    if task == "regression" and name in by_class and name not in names:
        raise UserError(
            f"--criterion {name} works only for classes. For a regression, use {', '.join(names)}."
        )
    check_choice("--criterion", name, names, page=CRITERIA_PAGE)
    if search is not None:
        check_choice("--search", search, OPTIMIZERS)
        if name == "auto":
            raise UserError(
                "--search works only with a criterion. Add one, such as --criterion kta, or leave out "
                "--search."
            )
    return name


def _scoring(name: str | None, positive: str | None, task: str) -> str | None:
    if positive is not None and name not in OF_ONE_CLASS:
        raise UserError(
            f"--positive works only with --scoring {', '.join(OF_ONE_CLASS[:-1])} or {OF_ONE_CLASS[-1]}."
        )
    if name is None:
        return None
    usable = (*OF_TWO, *USUAL_OF_PROBABILITIES) if task == "classification" else OF_NUMBERS
    known = get_scorer_names()
    if name not in known:
        raise UserError(
            f"--scoring {name} is unknown.{meant(name, usable)} For a {task}, use {', '.join(usable)}."
        )
    if is_of_numbers(name) != (task == "regression"):
        raise UserError(f"--scoring {name} does not work for a {task}. Use {', '.join(usable)}.")
    return name


def settle_score(model: TunedSVC, positive: str | None, y: np.ndarray) -> None:
    """Refuse a score that the classes do not allow, and name the positive class to one that asks for it."""
    classes = np.unique(y).tolist()
    if positive is not None and len(classes) == 2 and model.scoring in OF_ONE_CLASS:
        names = [str(label) for label in classes]
        check_choice("--positive", positive, names)
        model.set_params(scoring=PositiveScore(model.scoring, classes[names.index(positive)]))
        return
    problem = score_problem(model.scoring, classes)
    if problem is not None:
        advice = f"Use {', '.join(problem.others)}."
        if problem.needs_positive:
            advice = f"Set it with --positive, or use --scoring {' or '.join(problem.others)}."
        raise UserError(f"--scoring {model.scoring} {problem.why}. {advice}")


def settle_answers(
    model: TunedSVC, threshold: str | None, cost: str | None, positive: str | None, y: np.ndarray
) -> None:
    """Give the model a threshold or costs, which name classes of the file.

    A threshold is that of the class that --positive names, else of the second of two.
    """
    classes = np.unique(y).tolist()
    names = [str(label) for label in classes]
    if threshold is not None and cost is not None:
        raise UserError("--threshold and --cost cannot be used together. Leave out one of them.")
    if threshold is not None:
        if len(classes) != 2:
            raise UserError(
                f"--threshold works for two classes, but the target has {len(classes)}. Use --cost."
            )
        value = _threshold(threshold)
        is_of_first = positive is not None and positive == names[0]
        model.set_params(threshold=1.0 - value if is_of_first and isinstance(value, float) else value)
        check_threshold_option(model, threshold)
    if cost is not None:
        model.set_params(costs=_costs(cost, classes, names))


def check_threshold_option(model: TunedSVC, text: str) -> None:
    """Raise if --threshold auto goes by a score that does not look at labels."""
    try:
        check_threshold_score(model.threshold, model.steering_, "tune")
    except ValueError as error:
        raise UserError(
            f"--threshold {text} needs a score of labels, such as --scoring f1_macro, but {model.steering_} "
            "measures probabilities or ranks."
        ) from error


def _threshold(text: str) -> str | float:
    if text == "auto":
        return text
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not 0.0 < value < 1.0:
        raise UserError(f"--threshold must be auto, or a probability between 0 and 1, got {text!r}.")
    return value


def _costs(text: str, classes: list[Any], names: list[str]) -> dict[Any, float]:
    costs: dict[Any, float] = {}
    for part in text.split(","):
        name, _, number = part.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            value = np.nan
        if not 0.0 < value < np.inf:
            raise UserError(
                f"--cost must be classes with positive numbers, such as {names[0]}=1,{names[-1]}=5, got "
                f"{part!r}."
            )
        check_choice("--cost", name, names)
        label = classes[names.index(name)]
        if label in costs:
            raise UserError(f"--cost names the class {name!r} twice. Give it one number.")
        costs[label] = value
    return costs


def powers_of_two(option: str, text: str) -> list[float]:
    """2 to the powers of LIBSVM's begin,end,step."""
    try:
        begin, end, step = (float(part) for part in text.split(","))
        count = (end - begin) / step
    except (ValueError, ZeroDivisionError) as error:
        raise UserError(
            f"{option} {text} is not begin,end,step with a step that is not 0, such as -5,15,2."
        ) from error
    if not (0 <= count < MAX_CS and max(abs(begin), abs(end)) <= 100):
        raise UserError(
            f"{option} {text} must lead from begin to end, within -100 and 100, in at most {MAX_CS} steps."
        )
    powers = begin + step * np.arange(int(count + 1e-9) + 1)
    return [float(value) for value in 2.0**powers]


def _folds(text: str) -> str | int:
    if text == "auto":
        return text
    if not text.isdecimal() or int(text) < 2:
        raise UserError(f"--cv must be a number of folds, at least 2, or auto, got {text!r}.")
    return int(text)


def settle_labels(data: Samples, outlier: str | None, source: str) -> None:
    """Turn the labels of a file, if it has any, into those of `TunedOneClassSVM`."""
    if data.y is None:
        return
    data.y, sentence = unusual_labels(np.asarray(data.y, dtype=str), outlier, source)
    data.notes.append(sentence)
    say(sentence)


def unusual_labels(cells: np.ndarray, outlier: str | None, source: str) -> tuple[np.ndarray, str]:
    """Labels of the rows, shape (n_rows,), and a sentence on what they were taken for.

    A label is 1 for a usual row, −1 for an unusual one, 0 if it is unknown. ``cells`` are texts of shape
    (n_rows,), empty where nothing is known; ``outlier`` is the text of unusual rows. Without it, it is the
    text that says so, or else the rarer of two, if it is much rarer: those who label a few rows by hand often
    label the unusual ones.
    """
    counts = Counter(cell for cell in cells.tolist() if cell)
    if not counts:
        raise UserError(f"{source}: the column of --labels is empty. Leave out --labels.")
    if outlier is None:
        outlier, why = _label_of_unusual_rows(counts, source)
    else:
        check_choice("--outlier", outlier, list(counts))
        why = "as set by --outlier"
    labels = np.where(cells == outlier, -1, np.where(cells == "", 0, 1))
    n_unknown = int((labels == 0).sum())
    unknown = f" and {n_unknown} have no label" if n_unknown else ""
    n_unusual, n_usual = int((labels == -1).sum()), int((labels == 1).sum())
    if not n_usual + n_unknown:
        raise UserError(f"{source}: all rows are labelled as unusual. Leave out --labels.")
    verb = "row labelled {!r} counts" if n_unusual == 1 else "rows labelled {!r} count"
    sentence = f"{n_unusual} {verb.format(outlier)} as unusual, {why}; {n_usual} are usual"
    return labels, f"{sentence}{unknown}."


def _label_of_unusual_rows(counts: Counter[str], source: str) -> tuple[str, str]:
    """The label of unusual rows, and why it was taken."""
    said = [label for label in counts if label.lower() in UNUSUAL]
    if len(said) == 1:
        return said[0], "because of its name"
    if len(counts) == 2:
        (usual, n_usual), (rare, n_rare) = counts.most_common()
        if n_rare <= RARE * n_usual:
            return rare, f"because it is rarer than {usual!r}"
    shown = ", ".join(map(repr, sorted(counts)[:8]))
    raise UserError(
        f"{source}: kernelwise cannot tell which label marks unusual rows. Set it with --outlier: {shown}."
    )
