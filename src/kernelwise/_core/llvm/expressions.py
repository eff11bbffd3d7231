"""Expressions of a small part of Python, in LLVM's language."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelwise._core.llvm.values import FLOATS, INTEGERS, Instruction, Value, constant, is_integer
from kernelwise._core.llvm.writer import Writer

if TYPE_CHECKING:
    from kernelwise._core.llvm.module import Module

NONE = Value(None, "")
ZERO = constant(0)


class Expressions(Writer):
    """The values of expressions in one function of a module."""

    def __init__(self, module: Module, function: Any) -> None:
        flags, is_inlined = getattr(function, "llvm_options", ("", False))
        super().__init__(flags, module.has_plain_pointers)
        self.module, self.function, self.is_inlined = module, function, bool(is_inlined)
        self._slots: dict[str, Value] = {}  # of each variable its type and address

    def call(self, function: Any, arguments: Sequence[Value]) -> Value:
        """What a function gives that is written in Python, too."""
        name, kind = self.module.made(function, tuple(one.type for one in arguments))
        given = ", ".join(f"{self.llvm(t)} {text}" for t, text in arguments if t is not None)
        if kind is None:
            self.put_plain(f"call void {name}({given})")
            return NONE
        found = self.put(f"call {self.llvm(kind)} {name}({given})")
        if not isinstance(kind, tuple):
            return Value(kind, found)
        parts = range(len(kind))
        return Value(kind, tuple(self.put(f"extractvalue {self.llvm(kind)} {found}, {k}") for k in parts))

    def _value(self, node: Any) -> Value:
        match node:
            case ast.Constant(None):
                return NONE
            case ast.Constant(number):
                return constant(number)
            case ast.Name(name) if name in self._slots:
                kind, address = self._slots[name]
                return NONE if kind is None else self.load(kind, address)
            case ast.Name() | ast.Attribute():
                return constant(self._object(node))
            case ast.Tuple(elts=parts):
                values = [self._value(part) for part in parts]
                return Value(tuple(one.type for one in values), tuple(one.text for one in values))
            case ast.Subscript(value=base, slice=index):
                address = self._value(base)
                return self.load(address.type[:-1], self.element(address, self._value(index)))
            case ast.BinOp():
                return self.operate(node.op, self._value(node.left), self._value(node.right))
            case ast.UnaryOp():
                return self._unary(node)
            case ast.Compare():
                return self._comparison(node)
            case ast.BoolOp():
                return self._logic(node)
            case ast.IfExp():
                return self._choice(node)
            case ast.Call(keywords=[]):
                return self._called(node)
        raise TypeError(f"expressions such as {type(node).__name__} are unknown here")

    def _whole_number(self, node: ast.expr) -> Value:
        value = self._value(node)
        if value.type not in INTEGERS:
            raise TypeError(f"an integer is needed, not {value.type}")
        return self.cast(value, "int64")

    def _truth(self, node: ast.expr) -> Value:
        return self.cast(self._value(node), "bool")

    def _known(self, node: ast.expr) -> bool | None:
        """Whether something is None, which its type tells; None if that is not the question."""
        match node:
            case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(None)]):
                return (self._value(left).type is None) == isinstance(node.ops[0], ast.Is)
        return None

    def _object(self, node: ast.Name | ast.Attribute) -> Any:
        """What a name outside of the function stands for."""
        if isinstance(node, ast.Attribute):
            assert isinstance(node.value, ast.Name)
            return getattr(self._object(node.value), node.attr)
        code = self.function.__code__
        if node.id in (*code.co_varnames, *code.co_cellvars, *code.co_freevars):
            raise TypeError(f"{node.id} has no value before this line, or is of another function")
        scope = self.function.__globals__
        return scope[node.id] if node.id in scope else getattr(builtins, node.id)

    def _unary(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return Value("bool", self.put(f"xor i1 {self._truth(node.operand).text}, true"))
        value = self._value(node.operand)
        if isinstance(node.op, ast.UAdd):
            raise TypeError("a sign + does nothing")
        if isinstance(node.op, ast.Invert):
            return self.operate(ast.BitXor(), value, constant(-1))
        if value.type in FLOATS:
            return Value(value.type, self.put(f"fneg {self.flags} {self.llvm(value.type)} {value.text}"))
        if is_integer(value):  # so that steps of range are constants
            return constant(-int(value.text))
        return self.operate(ast.Sub(), ZERO, value)

    def _comparison(self, node: ast.Compare) -> Value:
        left, *others = (partial(self._value, one) for one in (node.left, *node.comparators))
        last = [left()]

        def one(operator: ast.cmpop, other: Callable[[], Value]) -> Value:
            last.append(other())
            return self.compare(operator, *last[-2:])

        return self._in_turn(True, [partial(one, *both) for both in zip(node.ops, others, strict=True)])

    def _logic(self, node: ast.BoolOp) -> Value:
        return self._in_turn(isinstance(node.op, ast.And), [partial(self._value, one) for one in node.values])

    def _in_turn(self, is_and: bool, parts: Sequence[Callable[[], Value]]) -> Value:
        """Whether all of the parts are true, or any; what follows is looked at only where it matters."""
        if len(parts) == 1:
            return parts[0]()
        [end] = self.new_labels(1)
        found = self.new_variable("bool")
        for part in parts:
            value = part()
            if value.type != "bool":  # Python's result would be the part itself
                raise TypeError(f"and, or: a comparison is needed, not {value.type}")
            self.store(value, found)
            [then] = self.new_labels(1)
            self.branch(value, *((then, end) if is_and else (end, then)))
            self.begin(then)
        self.go(end)
        self.begin(end)
        return self.load("bool", found)

    def _choice(self, node: ast.IfExp) -> Value:
        then, otherwise, end = self.new_labels(3)
        self.branch(self._truth(node.test), then, otherwise)
        found = []
        for label, one in ((then, node.body), (otherwise, node.orelse)):
            self.begin(label)
            found.append((self._value(one), self.label))
            self.go(end)
        (first, from_first), (second, from_second) = found
        if first.type != second.type:
            raise TypeError(f"either {first.type} or {second.type}")
        self.begin(end)
        ways = f"[{first.text}, %{from_first}], [{second.text}, %{from_second}]"
        return Value(first.type, self.put(f"phi {self.llvm(first.type)} {ways}"))

    def _called(self, node: ast.Call) -> Value:
        assert isinstance(node.func, ast.Name | ast.Attribute)
        function = self._object(node.func)
        arguments = [self._value(one) for one in node.args]
        if isinstance(function, Instruction):
            return function.emit(self, *arguments)
        if function is abs:
            [(kind, text)] = arguments
            name = {"float32": "float @llvm.fabs.f32(float", "float64": "double @llvm.fabs.f64(double"}[kind]
            return Value(kind, self.put(f"call {name} {text})"))
        if function in (np.float64, np.float32, np.int64):
            return self.cast(arguments[0], function.__name__)
        return self.call(function, arguments)
