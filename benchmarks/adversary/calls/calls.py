"""Random calls: what is called, with which arguments, and which arrays of the answer must be numbers."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import kernelwise
from benchmarks.adversary.calls.samples import Problem, draw
from benchmarks.adversary.calls.settings import KERNEL_OBJECTS, ODD, draw_parameters
from kernelwise import criteria, kernels, metrics, solvers
from kernelwise.explanation import explains_exactly
from kernelwise.problem import TuningProblem

Random = np.random.Generator
#: Names of kernels for which X is a matrix.
MATRICES = ("precomputed", "precomputed-distance")
#: Numbers that an answer has, by name.
Answer = Iterator[tuple[str, Any]]


class Call(NamedTuple):
    """A call that was not made yet, and what to print of it."""

    label: str
    make: Callable[[], Answer]
    names: tuple[str, ...]  # of parameters, which a sentence may be about


def draw_call(random: Random) -> Call:
    """One call; a search is as likely as everything small together."""
    kinds = [(_estimator, 12), (_tune, 1), (_diagnose, 2), (_compare, 0.3), (_criterion, 2), (_metric, 2)]
    kinds += [(_kernel, 3), (_sketch, 2), (_solver, 2), (_problem, 1)]
    weights = np.array([weight for _, weight in kinds])
    return kinds[random.choice(len(kinds), p=weights / weights.sum())][0](random)


def _matrix_of(parameters: dict[str, Any]) -> str:
    """The name of the kernel if X is a matrix for it, else nothing."""
    kernel = parameters.get("kernel")
    return kernel if isinstance(kernel, str) and kernel in MATRICES else ""


def _estimator(random: Random) -> Call:
    names = ["SVC", "SVR", "TunedSVC", "TunedSVR", "GridSearchSVC", "NystroemSVC", "NystroemSVR"]
    names += ["OneClassSVM", "NystroemOneClassSVM", "MetricTransformer"]
    name = str(random.choice(names))
    parameters = draw_parameters(name, random)
    matrix = _matrix_of(parameters) if random.random() < 0.8 else ""
    is_regression = name.endswith("SVR") != (random.random() < 0.03)
    n_features = int(random.integers(1, 7))
    problem = draw(random, is_regression, matrix, n_features)
    new = problem if random.random() < 0.6 else draw(random, is_regression, matrix, n_features)
    is_saved = random.random() < 0.3

    def make() -> Answer:
        model = getattr(kernelwise, name)(**parameters)
        weight = (
            {} if problem.weight is None or name == "MetricTransformer" else {"sample_weight": problem.weight}
        )
        model.fit(problem.X, problem.y, **weight)
        yield from _of_model(model)
        if parameters.get("refit") is False:
            return
        yield from _of_answers(model, new)
        if is_saved and hasattr(model, "save"):
            with tempfile.TemporaryDirectory() as folder:
                model.save(Path(folder) / "model.kw")
                again = kernelwise.load(Path(folder) / "model.kw")
            yield from _of_answers(again, new)

    label = f"{name}({_text(parameters)}) on {problem.note}; new {new.note}"
    return Call(label, make, tuple(getattr(kernelwise, name)._get_param_names()))


def _of_model(model: Any) -> Answer:
    for owner in (model, getattr(model, "best_estimator_", None)):
        for name, value in vars(owner).items() if owner is not None else ():
            # The score of a fold that could not be scored is NaN in GridSearchSVC, as in GridSearchCV.
            is_score = name == "best_score_" and hasattr(owner, "error_score")
            if isinstance(value, np.ndarray | float) and name.endswith("_") and not is_score:
                yield name, value
        beta = getattr(owner, "beta_", None)
        if beta is not None:
            yield "beta_", beta


def _of_answers(model: Any, new: Problem) -> Answer:
    methods = (
        "predict",
        "decision_function",
        "score_samples",
        "predict_proba",
        "predict_log_proba",
        "transform",
    )
    for name in [*methods, "transform"]:
        if hasattr(model, name):
            answer = getattr(model, name)(new.X)
            # The logarithm of a probability of zero is minus infinity.
            yield name, np.exp(answer) if name == "predict_log_proba" else answer
    # Scores of new targets are computed by scikit-learn, with its words and warnings.
    if hasattr(model, "score") and "y:" not in new.note:
        yield "score", model.score(new.X, new.y)
    if hasattr(model, "machine_values") and explains_exactly(model):
        yield "explain", kernelwise.explain(model, new.X).values
        yield "explain", kernelwise.explain(model, new.X, background=new.X).values


def _tune(random: Random) -> Call:
    parameters = draw_parameters("TunedSVC", random)
    parameters.pop("refit", None)
    problem = draw(random, False, _matrix_of(parameters))

    def make() -> Answer:
        result = kernelwise.tune(problem.X, problem.y, sample_weight=problem.weight, **parameters)
        yield "C", result.C
        yield "score", result.score
        str(result)

    return Call(f"tune({_text(parameters)}) on {problem.note}", make, tuple(parameters))


def _diagnose(random: Random) -> Call:
    problem, kernel = draw(random, False), _some(random, [None, *kernels.KERNELS, *KERNEL_OBJECTS])

    def make() -> Answer:
        yield from ()
        str(kernelwise.diagnose(problem.X, problem.y, kernel=kernel))

    return Call(f"diagnose(kernel={kernel!r}) on {problem.note}", make, ("kernel",))


def _compare(random: Random) -> Call:
    problem, methods = draw(random, False), _some(random, [["SVC defaults"], ["kernelwise"], ["nothing"], []])

    def make() -> Answer:
        yield "scores", kernelwise.compare(problem.X, problem.y, methods, n_splits=2).scores

    return Call(f"compare({methods!r}) on {problem.note}", make, ("methods", "n_splits"))


def _criterion(random: Random) -> Call:
    problem = draw(random, False, "precomputed")
    criterion = _some(random, [*criteria.CRITERIA, criteria.TargetAlignment()])
    method = _some(random, ["score", "value", "value_and_adjoint"])

    def make() -> Answer:
        answer = getattr(criteria.as_criterion(criterion), method)(problem.X, problem.y, problem.weight)
        for part in answer if isinstance(answer, tuple) else (answer,):
            yield method, part

    return Call(f"{criterion}.{method} on {problem.note}", make, ())


#: Functions of a Gram matrix; the other one is of columns.
OF_GRAMS = [name for name in metrics.__all__ if name != "column_alignment"]


def _metric(random: Random) -> Call:
    problem, name = draw(random, False, "precomputed"), _some(random, OF_GRAMS)
    parameters: dict[str, Any] = {}
    if random.random() < 0.5:
        parameters["strategy"] = _some(random, ["pooled", "ovr", "ovo", *ODD[:3]])
    if random.random() < 0.3:
        parameters["class_weight"] = _some(random, [None, "balanced", *ODD[:3]])

    def make() -> Answer:
        weight = problem.weight
        yield name, getattr(metrics, name)(problem.X, problem.y, sample_weight=weight, **parameters)

    return Call(f"{name}({_text(parameters)}) on {problem.note}", make, tuple(parameters))


def _kernel(random: Random) -> Call:
    first, second = draw(random, False, d=3), draw(random, False, d=3)
    kernel = _some(random, [*kernels.KERNELS, *KERNEL_OBJECTS])
    heuristic = _some(random, [None, "jaakkola", "median", "scale", "keep", "none"])

    def make() -> Answer:
        # A kernel that was given its parameters is used with them.
        ready = kernels.as_kernel(kernel)
        ready = ready.initialize(first.X, first.y, heuristic) if isinstance(kernel, str) else ready
        yield "theta", ready.theta
        K = ready(first.X)
        yield "K", K
        yield "diagonal", ready.diagonal(first.X)
        yield "gradient", ready.gradient_dot(first.X, np.ones(K.shape))
        yield "K of two", ready(first.X, second.X)
        if ready.input_powers:
            yield "rescaled", ready.rescaled(2.0)(first.X)

    return Call(f"{kernel!r} ({heuristic}) on {first.note}; {second.note}", make, ("heuristic",))


def _sketch(random: Random) -> Call:
    problem, kernel = draw(random, False), _some(random, [None, *kernels.KERNELS, *KERNEL_OBJECTS])
    criterion = _some(random, ["dbtc", "esdr", "j4", "polarization", "kta", "margin", *ODD[:2]])
    gammas = _some(random, [[0.1, 1.0], [1e-300], [1e300], 1.0, *ODD])

    def make() -> Answer:
        sketch = kernelwise.DistanceSketch.from_data(
            problem.X, problem.y, kernel=kernel, sample_weight=problem.weight
        )
        yield "curve", sketch.curve(criterion, gammas)
        yield "maximum", sketch.maximize(criterion).gammas

    label = f"DistanceSketch({kernel!r}), {criterion!r} at {gammas!r} on {problem.note}"
    return Call(label, make, ("kernel", "criterion", "gammas"))


def _solver(random: Random) -> Call:
    problem = draw(random, False, "precomputed")
    name = _some(random, ["solve_svm_dual", "svm_path", "minimum_enclosing_ball"])
    C = _some(random, [1.0, 1e-10, 1e10, 1e300, *ODD])
    settings: dict[str, Any] = {}
    if random.random() < 0.3:
        settings["tol"] = _some(random, [1e-6, 1.0, *ODD])
    if random.random() < 0.3 and name != "svm_path":
        settings["max_iter"] = _some(random, [-1, 10, 0, *ODD])

    def make() -> Answer:
        if name == "minimum_enclosing_ball":
            ball = solvers.minimum_enclosing_ball(problem.X, **settings)
            yield "radius", ball.radius2
            return
        if name == "solve_svm_dual":
            y = problem.y if "y:" in problem.note else np.where(problem.y == 0, -1, 1)
            solution = solvers.solve_svm_dual(problem.X, y, C, sample_weight=problem.weight, **settings)
            yield "beta", solution.beta
            yield "intercept", solution.intercept
            return
        n = problem.X.shape[0] if isinstance(problem.X, np.ndarray) and problem.X.ndim else 10
        folds = [(np.r_[: n // 2], np.r_[n // 2 : n]), (np.r_[n // 2 : n], np.r_[: n // 2])]
        path = solvers.svm_path(
            problem.X, problem.y, [C, 2.0], folds=folds, sample_weight=problem.weight, **settings
        )
        yield "decision", path.decision

    return Call(f"{name}(C={C!r}, {_text(settings)}) on {problem.note}", make, ("C", "Cs", "tol", "max_iter"))


def _problem(random: Random) -> Call:
    samples = draw(random, False)
    kernel = _some(random, [*kernels.KERNELS, *KERNEL_OBJECTS])
    criterion = _some(random, list(criteria.CRITERIA))

    def make() -> Answer:
        problem = TuningProblem(kernel, criterion, samples.X, samples.y, sample_weight=samples.weight)
        value, gradient = problem.value_and_gradient(problem.theta)
        yield "value", value
        yield "gradient", gradient

    return Call(f"TuningProblem({kernel!r}, {criterion}) on {samples.note}", make, ())


def _some(random: Random, values: Any) -> Any:
    return list(values)[random.integers(len(values))]


def _text(parameters: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in parameters.items())
