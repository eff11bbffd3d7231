"""Functions in LLVM's language give what Python gives; what is not translated is named."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from kernelwise._core.compile import CompiledLater
from kernelwise._core.llvm.translate import Untranslatable
from kernelwise._core.llvm.values import at, call, inner, like

FLOATS = [-2.5, -1.0, 0.0, 0.5, 1.0, 3.0, np.inf, np.nan]
THREE, HALF = 3, np.float32(0.5)


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNELWISE_CACHE_DIR", str(tmp_path))


def compiled(function, types):
    """The function for these types of its arguments."""
    return CompiledLater(function, types)


def arithmetic(out, a, b):
    out[0] = a + b * 2.0 - a / b
    out[1] = -a + abs(b)
    out[2] = a * THREE + HALF


def branches(out, a, b):
    if a < b and not b >= 1.0:
        out[0] = 1
    elif a > b or a != a:
        out[0] = 2
    else:
        out[0] = 3
    out[1] = -1.0 < a <= b
    out[2] = 4.0 if a >= b else 5.0


@pytest.mark.parametrize("function", [arithmetic, branches])
def test_floats(function):
    run = compiled(function, "float64[] float64 float64")
    for a, b in itertools.product(FLOATS, FLOATS):
        found, right = np.zeros(3), np.zeros(3)
        run(found, a, b)
        with np.errstate(all="ignore"):
            function(right, np.float64(a), np.float64(b))
        np.testing.assert_array_equal(found, right, err_msg=f"{a}, {b}")


def integers(out, a, b):
    out[0] = a // b + a % b
    out[1] = (a << 2) | (b & 5) ^ ~a
    out[2] = (a >> 1) - b
    out[3] = -b
    out[4] = a / b > 1.5
    n, is_one = 0, a == 1
    n += a > b
    is_one |= b == 1
    out[5] = n + 10 * (is_one & (a < 5))


def test_integers():
    run = compiled(integers, "int64[] int64 int64")
    for a, b in itertools.product(range(-12, 12), (*range(-5, 0), *range(1, 6))):
        found, right = np.zeros(6, np.int64), np.zeros(6, np.int64)
        run(found, a, b)
        integers(right, a, b)
        np.testing.assert_array_equal(found, right)


def loops(n, m):
    total = 0
    for i in range(n):
        if i == 2:
            continue
        for j in range(i, m, 2):
            if j > 7:
                break
            total += i * j
    for i in range(m - 1, -1, -THREE):
        total += 100 * i
    while True:
        total += 1
        if total % 7 == 0:
            break
    while n > 0:
        n -= 2
        total = total * 2 if total < 1000 else total + n
    for _ in range(3):
        if total > 50:
            return total
        total += 10
    return -total


def test_loops():
    run = compiled(loops, "int64 int64")
    for n, m in itertools.product(range(7), range(12)):
        assert run(n, m) == loops(n, m)


@inner()
def extremes(x, n):
    low, high = x[0], x[0]
    for k in range(n):
        low = x[k] if x[k] < low else low
        high = x[k] if x[k] > high else high
    return low, high


@inner()
def scaled(x, factor, n):
    for k in range(n):
        if factor is not None:
            x[k] *= factor
        else:
            x[k] += 1.0


def several(x, n):
    low, high = extremes(x, n)
    scaled(x, high - low, n)
    scaled(x, None, n)
    _, last = extremes(at(x, 1), n - 1)
    low, high = high, low
    x[0], x[n - 1] = low, last


def test_functions_that_return_several_values_and_take_none():
    x = np.array([1.0, 5.0, 2.0])
    compiled(several, "float64[] int64")(x, 3)
    np.testing.assert_array_equal(x, [5.0, 21.0, 21.0])


def precision(x, n):
    total, one = like(0.0, x), like(1.0, x)
    for k in range(n):
        total += one / x[k]
    x[0] = total
    x[1] = total + 1e-9  # in double precision, and then stored


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_have_the_precision_of_the_array(dtype):
    x = np.array([3.0, 7.0, 11.0], dtype)
    total = (dtype(1) / x[0] + dtype(1) / x[1]) + dtype(1) / x[2]
    compiled(precision, f"{np.dtype(dtype).name}[] int64")(x, 3)
    assert x[0] == total
    assert x[1] == dtype(np.float64(total) + 1e-9)


def doubled(x, k, factor):
    x[k] *= factor
    return k + 1


def by_address(function, x, k):
    return call(function, (x, k, 2.0))


@pytest.mark.parametrize("ending", ["*", "[]"])
def test_functions_are_called_by_address(ending):
    address = CompiledLater(doubled, f"float64{ending} int64 float64").machine_code().address
    x = np.array([1.0, 2.0])
    assert compiled(by_address, "int64 float64[] int64")(address, x, 1) == 2
    np.testing.assert_array_equal(x, [1.0, 4.0])


def effects(x, y):
    return x[0] > 0 and y[0] > 0 and counted(x) > 0


@inner()
def counted(x):
    x[1] += 1
    return x[1]


def test_what_follows_and_is_not_run_in_vain():
    run = compiled(effects, "int64[] int64[]")
    for a, b in itertools.product((0, 1), (0, 1)):
        x = np.array([a, 0])
        assert run(x, np.array([b])) == (a and b)
        assert x[1] == (a and b)


def chain(x, n):
    return 0 < n < counted(x) <= counted(x)


def test_a_chain_of_comparisons_ends_where_python_does():
    run = compiled(chain, "int64[] int64")
    for n, start in itertools.product((0, 1, 5), (0, 3, 7)):
        found, right = np.array([0, start]), np.array([0, start])
        assert run(found, n) == chain(right, n)
        assert found.tolist() == right.tolist()


def with_list(x):
    y = [1, 2]
    x[0] = y[0]


def other_type(n):
    k = 1
    k = 2.0
    return k + n


def either(n):
    return 1 if n > 0 else 2.0


def float_index(x):
    x[1.0] = 2


def unknown(n):
    return sorted(n)


def sometimes(n):
    if n > 3:
        return 5


def until_break(n):
    while True:
        if n > 3:
            return 5
        break


def either_number(n):
    return n or 5


def variable_step(n):
    total = 0
    for k in range(10, 0, n):
        total += k
    return total


def float_bound(n):
    total = 0
    for k in range(n / 2):
        total += k
    return total


def later_local(n):
    total = 0
    for k in range(n):
        if k > 0:
            total += THREE  # noqa: F823
        else:
            THREE = 5  # noqa: F841 (of this function, and not the constant above)
    return total


def of_another_function():
    THREE = 5

    def function(n):
        return n + THREE

    return function


def positive(n):
    return +n


def large(n):
    return n + 18446744073709551621


def text(n):
    return n + "3"


def plenty(n, m):
    return n + m


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (sometimes, "sometimes returns a value in some cases only"),
        (until_break, "returns a value in some cases only"),
        (either_number, "a comparison is needed, not int64"),
        (variable_step, "step of range must be a constant"),
        (float_bound, "an integer is needed, not float64"),
        (later_local, "THREE has no value before this line"),
        (of_another_function(), "or is of another function"),
        (positive, "sign"),
        (large, "does not fit into 64 bits"),
        (text, "a number is needed, not '3'"),
        (plenty, "does not take 1 argument"),
    ],
)
def test_what_would_give_something_else_than_python_does_is_refused(function, says):
    with pytest.raises(Untranslatable, match=says):
        compiled(function, "int64").machine_code()


@pytest.mark.parametrize(
    ("function", "types", "says"),
    [
        (with_list, "int64[]", "such as List"),
        (other_type, "int64", "k is of type int64, and no longer float64"),
        (either, "int64", "either int64 or float64"),
        (float_index, "int64[]", "an address and an integer are needed"),
        (unknown, "int64", "sorted"),
    ],
)
def test_what_is_not_translated_is_named_with_its_line(function, types, says):
    with pytest.raises(Untranslatable, match=says) as caught:
        compiled(function, types).machine_code()
    assert f"{__file__}:" in str(caught.value)
    assert "is not compiled" in str(caught.value)


def test_instructions_are_for_compiled_code_only():
    with pytest.raises(TypeError, match="compiled code only"):
        at([1.0], 0)
