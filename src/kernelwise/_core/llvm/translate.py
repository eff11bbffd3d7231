"""Loops written in a small part of Python, in LLVM's language.

Numba translates nearly all of Python, and takes 5 ms a line. The loops here have numbers and addresses,
assignments, if, for over range, while, and calls of functions that are written in the same way; no objects.
A variable has the type of its first value. Integers have 64 bits and are not checked for overflow, nor for a
division by zero. An index is not checked: it is not negative, and nothing stops at the end of an array.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kernelwise._core.llvm.expressions import NONE, ZERO, Expressions
from kernelwise._core.llvm.values import ORDER, Value, constant, is_integer, is_number

if TYPE_CHECKING:
    from kernelwise._core.llvm.module import Module

ONE = constant(1)


class Translation(Expressions):
    """The instructions of one function for given types."""

    def __init__(self, module: Module, function: Any) -> None:
        super().__init__(module, function)
        self._loops: list[tuple[str, str]] = []  # where "continue" and "break" lead
        self._returned: Any = None

    def whole(self, types: tuple[Any, ...]) -> Any:
        """Translate the function, and return the type of what it returns."""
        tree: Any = ast.parse(textwrap.dedent(inspect.getsource(self.function))).body[0]
        if len(tree.args.args) != len(types):
            raise Untranslatable(f"{self.function.__name__} does not take {len(types)} arguments.")
        for k, (parameter, kind) in enumerate(zip(tree.args.args, types, strict=True)):
            self._assign_name(parameter.arg, NONE if kind is None else Value(kind, f"%a{k}"))
        self._run(tree.body)
        if self._returned is not None and not _never_ends(tree.body):
            raise Untranslatable(f"{self.function.__name__} returns a value in some cases only.")
        self.put_plain("ret void" if self._returned is None else "unreachable")
        return self._returned

    def _run(self, body: Sequence[ast.stmt]) -> None:
        for node in body:
            try:
                self._do(node)
            except (TypeError, KeyError, AttributeError) as error:
                if isinstance(error, Untranslatable):
                    raise
                line = self.function.__code__.co_firstlineno + node.lineno - 1
                where = f"{self.function.__code__.co_filename}:{line}"
                raise Untranslatable(
                    f"{where}: {ast.unparse(node)[:80]!r} is not compiled: {error}"
                ) from error

    def _do(self, node: Any) -> None:
        match node:
            case ast.Assign(targets=[target]) | ast.AnnAssign(target=target, value=ast.expr()):
                self._assign(target, self._value(node.value))
            case ast.AugAssign():
                self._update(node)
            case ast.If():
                self._if(node)
            case ast.For(
                iter=ast.Call(func=ast.Name("range"), args=bounds), target=ast.Name(name), orelse=[]
            ):
                self._for(name, [self._whole_number(bound) for bound in bounds], node)
            case ast.While(orelse=[]):
                self._while(node)
            case ast.Return():
                self._return(NONE if node.value is None else self._value(node.value))
            case ast.Break():
                self.leave(f"br label %{self._loops[-1][1]}")
            case ast.Continue():
                self.leave(f"br label %{self._loops[-1][0]}")
            case ast.Expr(value=ast.Constant(str())):
                pass  # a docstring
            case ast.Expr():
                self._value(node.value)
            case _:
                raise TypeError(f"statements such as {type(node).__name__} are unknown here")

    def _assign(self, target: ast.expr, value: Value) -> None:
        match target:
            case ast.Name("_"):
                pass  # nobody wants it
            case ast.Name(name):
                self._assign_name(name, value)
            case ast.Subscript(value=base, slice=index):
                address = self._value(base)
                place = self.element(address, self._value(index))
                self.store(self.cast(value, address.type[:-1]), place)
            case ast.Tuple(elts=targets):
                for one, kind, text in zip(targets, value.type, value.text, strict=True):
                    self._assign(one, Value(kind, text))
            case _:
                raise TypeError(f"nothing is assigned to {type(target).__name__} here")

    def _assign_name(self, name: str, value: Value) -> None:
        if name not in self._slots:
            address = "" if value is NONE else self.new_variable(value.type)
            self._slots[name] = Value(value.type, address)
        kind, address = self._slots[name]
        if value.type != kind:
            if not (
                is_number(kind) and is_number(value.type) and ORDER.index(value.type) < ORDER.index(kind)
            ):
                raise TypeError(f"{name} is of type {kind}, and no longer {value.type}")
            value = self.cast(value, kind)
        if value is not NONE:
            self.store(value, address)

    def _update(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            old, value = self._value(node.target), self._value(node.value)
            self._assign_name(node.target.id, self.operate(node.op, old, value))
            return
        assert isinstance(node.target, ast.Subscript)
        address = self._value(node.target.value)
        kind, place = address.type[:-1], self.element(address, self._value(node.target.slice))
        value = self.operate(node.op, self.load(kind, place), self._value(node.value))
        self.store(self.cast(value, kind), place)

    def _if(self, node: ast.If) -> None:
        known = self._known(node.test)
        if known is not None:
            self._run(node.body if known else node.orelse)
            return
        then, otherwise, end = self.new_labels(3)
        self.branch(self._truth(node.test), then, otherwise)
        for label, body in ((then, node.body), (otherwise, node.orelse)):
            self.begin(label)
            self._run(body)
            self.go(end)
        self.begin(end)

    def _for(self, name: str, bounds: list[Value], node: ast.For) -> None:
        start, stop = (ZERO, bounds[0]) if len(bounds) == 1 else bounds[:2]
        step = bounds[2] if len(bounds) == 3 else ONE
        if not is_integer(step) or int(step.text) == 0:
            raise TypeError("the step of range must be a constant")  # its sign says where to stop
        counter = self.new_variable("int64")
        self.store(start, counter)
        head, body, after, end = self.new_labels(4)
        self.go(head)
        self.begin(head)
        count = self.load("int64", counter)
        operator = ast.Lt() if int(step.text) > 0 else ast.Gt()
        self.branch(self.compare(operator, count, stop), body, end)
        self.begin(body)
        self._assign_name(name, count)
        self._loop(node.body, after, end)
        self.begin(after)
        count = self.load("int64", counter)
        self.store(Value("int64", self.put(f"add nsw i64 {count.text}, {step.text}")), counter)
        self.go(head)
        self.begin(end)

    def _while(self, node: ast.While) -> None:
        head, body, end = self.new_labels(3)
        self.go(head)
        self.begin(head)
        self.branch(self._truth(node.test), body, end)
        self.begin(body)
        self._loop(node.body, head, end)
        self.begin(end)

    def _loop(self, body: Sequence[ast.stmt], after: str, end: str) -> None:
        self._loops.append((after, end))
        self._run(body)
        self._loops.pop()
        self.go(after)

    def _return(self, value: Value) -> None:
        if self._returned not in (None, value.type):
            raise TypeError(f"{self._returned} was returned before")
        self._returned, llvm = value.type, self.llvm(value.type)
        text = value.text
        if isinstance(value.type, tuple):
            text = "undef"
            for k, (kind, part) in enumerate(zip(value.type, value.text, strict=True)):
                text = self.put(f"insertvalue {llvm} {text}, {self.llvm(kind)} {part}, {k}")
        self.leave(f"ret {llvm} {text}")


def _never_ends(body: Sequence[ast.stmt]) -> bool:
    """Whether these statements return in any case, or go on for ever."""
    match body[-1]:
        case ast.Return():
            return True
        case ast.If(body=then, orelse=[_, *_] as otherwise):
            return _never_ends(then) and _never_ends(otherwise)
        case ast.While(test=ast.Constant(True)) as loop:
            return not any(isinstance(node, ast.Break) for node in ast.walk(loop))
    return False


class Untranslatable(TypeError):
    """A line of a compiled function that this translation does not know, and why."""
