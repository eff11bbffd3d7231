"""Every public name says what it takes, in which shape, where it comes from, and shows itself in use."""

from __future__ import annotations

import ast
import contextlib
import inspect
import re
from importlib import import_module

import pytest

MODULES = (
    "kernelwise",
    *(
        f"kernelwise.{name}"
        for name in (
            "criteria",
            "datasets",
            "diagnostics",
            "estimators",
            "exceptions",
            "explanation",
            "findings",
            "kernels",
            "metrics",
            "optimizers",
            "problem",
            "reports",
            "result",
            "selection",
            "solvers",
            "testing",
        )
    ),
)
#: What implements a formula of a paper and so has to say which one.
FROM_PAPERS = ("kernelwise.criteria", "kernelwise.kernels", "kernelwise.metrics", "kernelwise.selection")
#: Contracts, look-ups and plain results have no formula; low rank is ours, and so is the choice of a metric.
#: City-block kernels and sums of kernels are in no paper.
NO_FORMULA = re.compile(
    r"(kernel_)?as_.*|.*Criterion|(Radial)?Kernel|Hyperparameter|LowRankGaussian|learn_metric|.*Laplacian|KernelSum|Precomputed.*|aligned_sum"
)
REFERENCE = re.compile(r"\b(equations?|eqs\.|sections?|tables?|figures?|algorithm|theorems?) \d", re.I)
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


def public_names() -> dict[str, object]:
    """Classes and functions by the first place where they are public."""
    found: dict[str, object] = {}
    for module in map(import_module, MODULES):
        own = [n for n, o in vars(module).items() if getattr(o, "__module__", "") == module.__name__]
        for name in getattr(module, "__all__", [n for n in own if not n.startswith("_")]):
            value = getattr(module, name)
            if callable(value) and all(value is not other for other in found.values()):
                found[f"{module.__name__}.{name}"] = value
    return found


PUBLIC = public_names()


def sections(doc: str) -> dict[str, str]:
    """Text of every section by its heading; "" is what comes before the first."""
    parts = SECTION.split(doc)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def entries(section: str) -> dict[str, str]:
    """Type or shape of every name that a section of parameters describes."""
    lines = [line for line in section.splitlines() if line and not line.startswith(" ")]
    pairs = (line.partition(" : ") for line in lines)
    return {name.strip("* "): kind for names, _, kind in pairs for name in names.split(",")}


def arguments(value: object) -> set[str]:
    """Names of what a function or a constructor takes."""
    if isinstance(value, type) and issubclass(value, Warning | Exception | list):
        return set()  # theirs are Python's
    return {name for name in inspect.signature(value).parameters if name != "self"}


@pytest.mark.parametrize("name", PUBLIC)
def test_public_name_has_a_summary_and_an_example(name):
    doc = sections(inspect.getdoc(PUBLIC[name]) or "")
    assert PUBLIC[name].__doc__, f"{name} has no docstring of its own"
    summary = doc[""].split("\n\n")[0]
    assert summary.rstrip().endswith((".", ":")), f"the summary of {name} is no sentence: {summary!r}"
    assert ">>>" in doc.get("Examples", ""), f"{name} has no example"


@pytest.mark.parametrize("name", PUBLIC)
def test_parameters_are_those_of_the_signature(name):
    value = PUBLIC[name]
    doc = sections(inspect.getdoc(value))
    parameters, attributes = entries(doc.get("Parameters", "")), entries(doc.get("Attributes", ""))
    taken = arguments(value)
    missing, invented = taken - {*parameters, *attributes}, set(parameters) - taken
    assert not missing, f"{name} does not document {missing}"
    assert not invented, f"{name} documents {invented}, which it does not take"


def documented_defaults(section: str) -> dict[str, object]:
    """Defaults that a section of parameters states, as values; those that are no literals are left out."""
    found = {}
    for line in section.splitlines():
        names, _, stated = line.partition(", default=")
        if line.startswith(" ") or not stated:
            continue
        names = [name.strip("* ") for name in names.partition(" : ")[0].split(",")]
        with contextlib.suppress(ValueError):
            value = ast.literal_eval(stated)
            found |= zip(
                names,
                value if len(names) > 1 and isinstance(value, tuple) else [value] * len(names),
                strict=True,
            )
    return found


def test_documented_defaults_are_those_of_the_signature():
    n_compared = 0
    for name, value in PUBLIC.items():
        for parameter, stated in documented_defaults(
            sections(inspect.getdoc(value)).get("Parameters", "")
        ).items():
            default = inspect.signature(value).parameters[parameter].default
            assert default == stated, f"{parameter} of {name} is {default!r}, not {stated!r}"
            n_compared += 1
    assert n_compared > 350


def has_formula(name: str) -> bool:
    """Whether a paper has a formula or a procedure for it."""
    module, _, last = name.rpartition(".")
    is_result = hasattr(PUBLIC[name], "__dataclass_fields__")
    return module in FROM_PAPERS and not is_result and not NO_FORMULA.fullmatch(last)


@pytest.mark.parametrize("name", list(filter(has_formula, PUBLIC)))
def test_formula_has_a_reference(name):
    assert REFERENCE.search(inspect.getdoc(PUBLIC[name])), f"{name} does not say which formula it is"


def methods(kind: type) -> dict[str, object]:
    """Public methods and properties that the class, or a class of ours above it, defines."""
    ours = [base for base in kind.__mro__ if base.__module__.startswith("kernelwise")]
    names = {name for base in ours for name in vars(base) if not name.startswith("_")}
    members = {name: inspect.getattr_static(kind, name) for name in sorted(names)}
    kinds = (property, classmethod, staticmethod)
    return {n: getattr(kind, n) for n, m in members.items() if isinstance(m, kinds) or inspect.isroutine(m)}


CLASSES = {name: value for name, value in PUBLIC.items() if isinstance(value, type)}


@pytest.mark.parametrize("name", CLASSES)
def test_methods_and_properties_have_a_sentence(name):
    silent = [method for method, value in methods(CLASSES[name]).items() if not inspect.getdoc(value)]
    assert not silent, f"{name} does not document {silent}"


ESTIMATORS = [name for name, value in CLASSES.items() if hasattr(value, "fit")]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_methods_of_estimators_say_shapes(name):
    taking_X = {n: m for n, m in methods(CLASSES[name]).items() if callable(m) and "X" in arguments(m)}
    assert "fit" in taking_X
    silent = [method for method, value in taking_X.items() if "shape" not in inspect.getdoc(value)]
    assert not silent, f"{name} says no shapes in {silent}"


#: First words of a question; a summary begins with the name of the thing, or with what a function does.
QUESTION = re.compile(r"(What|Which|Who|Whose|How|When|Where|Why|Whether|From|If)\b")


@pytest.mark.parametrize("name", [*PUBLIC, *MODULES])
def test_a_summary_begins_with_what_the_thing_is(name):
    doc = inspect.getdoc(PUBLIC[name] if name in PUBLIC else import_module(name))
    assert not QUESTION.match(doc), f"the summary of {name} is a question: {doc.splitlines()[0]!r}"


@pytest.mark.parametrize("name", PUBLIC)
def test_a_summary_is_not_cut_at_an_abbreviation(name):
    # The page of the API ends a summary at the first full stop before a space.
    summary = (inspect.getdoc(PUBLIC[name]) or "").split("\n\n")[0]
    assert not re.search(r"\b(eqs?|figs?|sec|e\.g|i\.e)\. ", summary)
