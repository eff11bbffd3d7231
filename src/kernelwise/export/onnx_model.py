"""A plain model as an ONNX graph in double precision, of operators that every runtime has."""

from __future__ import annotations

import json
from functools import partial, reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kernelwise.exceptions import IncompatibleError
from kernelwise.export import PlainModel, Term
from kernelwise.kernels.distances import centre_of, rounding_share
from kernelwise.kernels.radial import mapped
from kernelwise.multiclass import class_pairs
from kernelwise.solvers.probability import SMALLEST

#: Operators as onnxruntime knows them since 1.14, and the format of the file.
OPSET, IR_VERSION = 17, 8


class Graph:
    """Nodes and constants of a graph; every node has one output, whose name `add` returns.

    ``onnx`` is imported with the first graph: nothing else needs it.
    """

    def __init__(self) -> None:
        try:
            from onnx import helper, numpy_helper
        except ImportError:
            raise ImportError(
                'to_onnx needs onnx, which is not installed. Install it with pip install "kernelwise[onnx]".'
            ) from None
        self._helper, self._numpy = helper, numpy_helper
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def add(
        self,
        operator: str,
        *inputs: str,
        output: str | None = None,
        unused: str | None = None,
        **attributes: Any,
    ) -> str:
        """Add a node, and return the name of its output; ``unused`` names a second one that it must have."""
        name = output or f"{operator}_{len(self._nodes)}"
        outputs = [name] if unused is None else [name, unused]
        self._nodes.append(self._helper.make_node(operator, list(inputs), outputs, **attributes))
        return name

    def constant(self, values: ArrayLike) -> str:
        """Add an array or a number, and return its name."""
        name = f"constant_{len(self._constants)}"
        array = np.asarray(values)
        if array.dtype.kind in "OU":
            array = array.astype(object)
        self._constants.append(self._numpy.from_array(array, name))
        return name

    def scan_differences(self, start: str, rows: str, columns: str) -> str:
        """Σ_k |rows_k − columns_k| of (d, n, 1) and (d, 1, m), added to ``start``, of shape (n, m).

        One feature at a time: no array has an axis for rows, columns and features.
        """
        h, element = self._helper, self._helper.np_dtype_to_tensor_dtype(np.dtype(float))
        info = [h.make_tensor_value_info(name, element, None) for name in ("sum", "row", "column", "next")]
        nodes = [
            h.make_node("Sub", ["row", "column"], ["difference"]),
            h.make_node("Abs", ["difference"], ["absolute"]),
            h.make_node("Add", ["sum", "absolute"], ["next"]),
        ]
        body = h.make_graph(nodes, "add_feature", info[:3], info[3:])
        return self.add("Scan", start, rows, columns, body=body, num_scan_inputs=2)

    def model(
        self, inputs: dict[str, Any], outputs: dict[str, Any], title: str, notes: dict[str, str]
    ) -> Any:
        """The ONNX model; ``inputs`` and ``outputs`` have (dtype, shape) of each by name."""
        h = self._helper

        def info(named: dict[str, Any]) -> list[Any]:
            kinds = {
                name: (h.np_dtype_to_tensor_dtype(np.dtype(kind)), shape)
                for name, (kind, shape) in named.items()
            }
            return [h.make_tensor_value_info(name, *kind) for name, kind in kinds.items()]

        graph = h.make_graph(self._nodes, "kernelwise", info(inputs), info(outputs), self._constants)
        opset = [h.make_opsetid("", OPSET)]
        model = h.make_model(graph, opset_imports=opset, ir_version=IR_VERSION, producer_name="kernelwise")
        model.doc_string = title
        h.set_model_props(model, notes)
        return model


#: Numbers of a model, at most: the format has no files of 2 GiB and more.
MOST_NUMBERS = 2**31 // 8 - 10**6


def onnx_model(plain: PlainModel) -> Any:
    """Return the graph as an ``onnx.ModelProto``; its input is "X", float64 of shape (n, n_features).

    Outputs of a regression: "prediction", (n,) or (n, n_quantiles), and with intervals "lower" and "upper",
    (n,). Of classes: "label", (n,),
    "decision_values", (n, n_machines), those of `machine_values`, and "probabilities", (n, n_classes), if the
    model has any.
    """
    if plain.size > MOST_NUMBERS:
        raise IncompatibleError(
            f"An ONNX file must be smaller than 2 GiB, but the {len(plain.support)} support vectors of this "
            "model take more. Keep the model with save(path)."
        )
    g = Graph()
    values = _sums(g, plain, "X")
    inputs = {"X": (np.float64, ["n", len(plain.names)])}
    notes = {"features": json.dumps(plain.names, ensure_ascii=False)}
    if plain.classes is None:
        column = g.add("Add", values, g.constant(plain.intercept))
        if plain.quantiles:
            n_quantiles = len(plain.quantiles)
            n = g.constant(np.array([n_quantiles]))
            g.add("TopK", column, n, output="prediction", unused="order", largest=0)
            notes["quantiles"] = json.dumps(plain.quantiles)
            return g.model(inputs, {"prediction": (np.float64, ["n", n_quantiles])}, plain.title, notes)
        numbers = {"prediction": column}
        if plain.width is not None:
            rows = g.add("Concat", "X", column, axis=1)
            logarithm = g.add("Add", _sums(g, plain.width, rows), g.constant(plain.width.intercept))
            half = g.add("Exp", logarithm)
            numbers |= {"lower": g.add("Sub", column, half), "upper": g.add("Add", column, half)}
            notes["intervals"] = plain.width.title
        for name, one in numbers.items():
            g.add("Squeeze", one, g.constant(np.array([1])), output=name)
        return g.model(inputs, {name: (np.float64, ["n"]) for name in numbers}, plain.title, notes)
    g.add("Add", values, g.constant(plain.intercept), output="decision_values")
    labels = _label_array(plain.classes)
    outputs = {
        "label": (labels.dtype, ["n"]),
        "decision_values": (np.float64, ["n", len(plain.intercept)]),
    }
    if plain.sigmoids is not None:
        _probabilities(g, plain)
        outputs["probabilities"] = (np.float64, ["n", len(plain.classes)])
    g.add("Gather", g.constant(labels), _index(g, plain), output="label", axis=0)
    return g.model(inputs, outputs, plain.title, notes)


def _label_array(classes: np.ndarray) -> np.ndarray:
    """Classes as ONNX has them: int64, float64, bool or text; whole numbers beyond int64 are refused."""
    kind = classes.dtype.kind
    if kind in "OU" and all(isinstance(label, str) for label in classes.tolist()):
        return classes.astype(object)
    if kind not in "biuf":
        raise IncompatibleError(
            "Labels in ONNX must be whole numbers or text. Convert the classes to one of these."
        )
    if kind == "u" and classes.max() > np.iinfo(np.int64).max:
        raise IncompatibleError(
            f"Labels in ONNX are whole numbers up to 2**63 - 1, but there is a class {classes.max()}. "
            "Convert the classes to text, or number them from 0."
        )
    return classes if kind == "b" else classes.astype(np.float64 if kind == "f" else np.int64)


def _sums(g: Graph, plain: PlainModel, rows: str) -> str:
    """Sums over all kernels and support vectors for rows, of shape (n, n_machines).

    onnxruntime makes one operator of a product of matrices and a number that it is multiplied with, and that
    number has single precision: the numbers are in the matrices here.
    """
    centred = g.add("Sub", rows, g.constant(plain.shift))
    Z = g.add("Mul", centred, g.constant(plain.factor))
    totals = []
    for terms in plain.sums:
        K = _added(g, [_kernel_values(g, term, centred, Z, plain) for term in terms])
        totals.append(g.add("MatMul", K, g.constant(np.ascontiguousarray(terms[0].beta.T))))
    return _added(g, totals)


def _added(g: Graph, parts: list[str]) -> str:
    return reduce(partial(g.add, "Add"), parts)


def _kernel_values(g: Graph, term: Term, centred: str, Z: str, plain: PlainModel) -> str:
    """Weighted values of one kernel, of shape (n, n_support)."""
    if term.is_distance:
        return _decayed(g, term, Z, plain.support)
    return _of_products(g, term, centred, plain.factor * _pulled_back(term, plain.support))


def _decayed(g: Graph, term: Term, Z: str, S: np.ndarray) -> str:
    """Weighted values of exp(−scale·D), of shape (n, n_support)."""
    if term.L is not None:
        Z, S = g.add("Mul" if term.L.ndim == 1 else "MatMul", Z, g.constant(term.L)), mapped(S, term.L)
    D = _city_block(g, Z, S) if term.form == "cityblock" else _squared(g, Z, S)
    D = g.add("Sqrt", D) if term.form == "euclidean" else D
    return _weighted(g, g.add("Exp", g.add("Mul", D, g.constant(-term.scale))), term.weight)


def _pulled_back(term: Term, S: np.ndarray) -> np.ndarray:
    """Samples whose products with z are those of s and z after the linear map."""
    if term.L is None:
        return S
    return S * term.L**2 if term.L.ndim == 1 else S @ term.L @ term.L.T


def _of_products(g: Graph, term: Term, centred: str, S: np.ndarray) -> str:
    """Weighted values of a kernel of inner products, of shape (n, n_support)."""
    factor = term.weight if term.form == "linear" else term.scale
    K = g.add("MatMul", centred, g.constant(np.ascontiguousarray(factor * S.T)))
    if term.form == "linear":
        return K
    K = g.add("Add", K, g.constant(term.coef0))
    K = g.add("Tanh", K) if term.form == "sigmoid" else g.add("Pow", K, g.constant(float(term.degree)))
    return _weighted(g, K, term.weight)


def _weighted(g: Graph, K: str, weight: float) -> str:
    return K if weight == 1.0 else g.add("Mul", K, g.constant(weight))


def _squared(g: Graph, Z: str, S: np.ndarray) -> str:
    """‖z‖² + ‖s‖² − 2zᵀs of centred samples, and zero where that is rounding (see `squared_distances`)."""
    centre = centre_of(S)
    S = S - centre
    Z = g.add("Sub", Z, g.constant(centre))
    norms = g.add("ReduceSum", g.add("Mul", Z, Z), g.constant(np.array([1])), keepdims=1)
    both = g.add("Add", norms, g.constant((S * S).sum(axis=1)[None, :]))
    D = g.add("Add", both, g.add("MatMul", Z, g.constant(np.ascontiguousarray(-2.0 * S.T))))
    least = g.add("Mul", both, g.constant(rounding_share(S.shape[1])))
    return g.add("Where", g.add("Greater", D, least), D, g.constant(0.0))


def _city_block(g: Graph, Z: str, S: np.ndarray) -> str:
    rows = g.add("Unsqueeze", g.add("Transpose", Z, perm=[1, 0]), g.constant(np.array([2])))
    zeros = g.add("MatMul", Z, g.constant(np.zeros((S.shape[1], S.shape[0]))))
    return g.scan_differences(zeros, rows, g.constant(np.ascontiguousarray(S.T)[:, None, :]))


def _index(g: Graph, plain: PlainModel) -> str:
    """Which class, of shape (n,); the first of equals."""
    assert plain.classes is not None
    if plain.rule == "sign":
        is_second = g.add("GreaterOrEqual", "decision_values", g.constant(0.0))
        return g.add("Squeeze", g.add("Cast", is_second, to=7), g.constant(np.array([1])))
    if plain.rule == "costs":
        expected = g.add("MatMul", "probabilities", g.constant(np.asarray(plain.costs, dtype=float)))
        return g.add("ArgMin", expected, axis=1, keepdims=0)
    best = {"probability": "probabilities", "largest": "decision_values"}.get(plain.rule)
    if best is None:
        best = _votes(g, len(plain.classes), ranks=plain.rule == "ranked votes")
    return g.add("ArgMax", best, axis=1, keepdims=0)


def _votes(g: Graph, n_classes: int, ranks: bool) -> str:
    """Votes of the pairs, (n, n_classes); with ``ranks`` those of `shown_values`."""
    to_first, to_second = _sides(n_classes, n_classes)
    is_first = g.add("GreaterOrEqual" if ranks else "Greater", "decision_values", g.constant(0.0))
    first = g.add("Cast", is_first, to=11)
    second = g.add("Sub", g.constant(1.0), first)
    votes = g.add(
        "Add", *(g.add("MatMul", a, g.constant(b)) for a, b in ((first, to_first), (second, to_second)))
    )
    if not ranks:
        return votes
    sums = g.add("MatMul", "decision_values", g.constant(to_first - to_second))
    size = g.add("Mul", g.add("Add", g.add("Abs", sums), g.constant(1.0)), g.constant(3.0))
    return g.add("Add", votes, g.add("Div", sums, size))


def _sides(n_classes: int, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Which column the first and the second class of every pair has, each of shape (n_pairs, n_columns).

    A column for each class, or, with the square of their number, for each entry of a matrix of classes.
    """
    pairs = np.array(class_pairs(n_classes))
    sides = np.zeros((2, len(pairs), n_columns))
    for side in (0, 1):
        columns = pairs[:, side]
        if n_columns != n_classes:
            columns = columns * n_classes + pairs[:, 1 - side]
        sides[side, np.arange(len(pairs)), columns] = 1.0
    return sides[0], sides[1]


def _probabilities(g: Graph, plain: PlainModel) -> None:
    """The output "probabilities", as `class_probabilities` has them."""
    assert plain.sigmoids is not None
    assert plain.classes is not None
    slope, offset = (g.constant(column) for column in -plain.sigmoids.T)
    odds = g.add("Add", g.add("Mul", "decision_values", slope), offset)
    n_classes = len(plain.classes)
    if n_classes == 2:
        p = g.add("Sigmoid", odds)
        g.add("Concat", g.add("Sub", g.constant(1.0), p), p, output="probabilities", axis=1)
        return
    if plain.machines == "ovr":
        # By logarithms: where no class is likely, the least unlikely one still is the answer.
        rest = g.add("Exp", g.add("Neg", g.add("Abs", odds)))
        log_p = g.add(
            "Sub", g.add("Min", odds, g.constant(0.0)), g.add("Log", g.add("Add", rest, g.constant(1.0)))
        )
        g.add("Softmax", log_p, output="probabilities", axis=1)
        return
    _couple(g, g.add("Sigmoid", odds), n_classes)


def _couple(g: Graph, pairwise: str, n_classes: int) -> None:
    """Pairwise probabilities to those of the classes, as `couple` does, by elimination.

    The least of pᵀQp over Σp = 1 is that of pᵀ(Q + 11ᵀ)p, too, a matrix that is positive definite whatever
    the probabilities: p ∝ (Q + 11ᵀ)⁻¹1 takes one pass over the classes, without pivots to look for.
    """
    k, eye = n_classes, np.eye(n_classes)
    bounds = g.constant(SMALLEST), g.constant(1.0 - SMALLEST)
    r = g.add("Clip", pairwise, *bounds)
    first, second = (g.constant(side) for side in _sides(k, k * k))
    others = g.add("MatMul", g.add("Sub", g.constant(1.0), r), second)
    R = g.add("Reshape", g.add("Add", g.add("MatMul", r, first), others), g.constant(np.array([-1, k, k])))
    T = g.add("Transpose", R, perm=[0, 2, 1])
    squares = g.add("ReduceSum", g.add("Mul", T, T), g.constant(np.array([2])), keepdims=1)
    # Q has Σ_j r_ji² on its diagonal and −r_ij r_ji beside it; the right side is one more column.
    Q = g.add("Sub", g.add("Mul", squares, g.constant(eye)), g.add("Mul", R, T))
    A = g.add("Add", Q, g.constant(1.0))
    ones = g.add("Add", g.add("Mul", squares, g.constant(0.0)), g.constant(1.0))
    A = g.add("Concat", A, ones, axis=2)
    for i in range(k):
        at = g.constant(np.array([i]))
        row, column = (g.add("Gather", A, at, axis=axis) for axis in (1, 2))
        row = g.add("Div", row, g.add("Gather", row, at, axis=2))
        # Less one where the row itself is: there, what is left is the row over its pivot.
        A = g.add("Sub", A, g.add("Mul", g.add("Sub", column, g.constant(eye[i][:, None])), row))
    p = g.add("Max", g.add("Gather", A, g.constant(np.array(k)), axis=2), g.constant(0.0))
    total = g.add("ReduceSum", p, g.constant(np.array([1])), keepdims=1)
    g.add("Div", p, total, output="probabilities")
