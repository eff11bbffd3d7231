"""An ONNX graph that is written node by node."""

from __future__ import annotations

from typing import Any

import numpy as np

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
                "to_onnx needs onnx, which is not installed. Install it with pip install 'kernelwise[onnx]'."
            ) from None
        self._helper, self._numpy = helper, numpy_helper
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def add(self, operator: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        """Add a node, and return the name of its output."""
        name = output or f"{operator}_{len(self._nodes)}"
        self._nodes.append(self._helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def constant(self, values: Any) -> str:
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
