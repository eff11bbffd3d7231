"""liquidSVM: hinge-loss machines without an offset, so its answers differ a little by design.

Its folds take the rows in turn, which is how `benchmarks.data` orders them. For more than two classes it
reports errors of the pairs only: nothing to compare. It always cross-validates: no part in plain fits.
"""

from __future__ import annotations

import ctypes
import sys
import sysconfig
import types

import numpy as np

from benchmarks.jobs import Task

FOLD, GAMMA, LAMBDA, ERROR = 2, 3, 5, 7  # columns of its table of training results
ALTERNATING = 2  # row i is held out in fold i mod n_folds


def _import_liquidsvm() -> types.ModuleType:
    """Import it on a Python newer than itself.

    It finds its library by the variable SO, since renamed EXT_SUFFIX, and imports pkg_resources, which newer
    setuptools lack, only to find its example data.
    """
    sysconfig.get_config_vars().setdefault("SO", sysconfig.get_config_var("EXT_SUFFIX"))
    sys.modules.setdefault("pkg_resources", types.ModuleType("pkg_resources"))
    import liquidSVM

    return liquidSVM


liquidSVM = _import_liquidsvm()


def select(task: Task) -> None:
    """Its own default: 10 widths by 10 values of lambda, 5 folds."""
    machine = liquidSVM.SVM(task.X, task.y + 1, scenario="MC AvA_hinge", threads=1)
    machine.train()
    machine.select()
    machine.clean()


def _cross_validate(task: Task) -> np.ndarray | None:
    """Correct held-out labels of shape (n_gammas · n_Cs, n_folds), or None for more than two classes."""
    two_classes = len(np.unique(task.y)) == 2
    machine = liquidSVM.SVM(
        task.X,
        2 * task.y - 1 if two_classes else task.y + 1,
        scenario="MC AvA_hinge",
        threads=1,
        folds=len(task.folds),
        folds_kind=ALTERNATING,
        gammas=_decimals(task.gammas**-0.5),  # its kernel is exp(−‖x − y‖²/gamma²)
        c_values=_decimals(task.Cs),  # it makes of them lambda = 1/(2nC), n the size of the training part
    )
    table = machine.train().copy()
    machine.clean()
    if not two_classes:
        return None
    order = np.lexsort((-table[:, LAMBDA], table[:, GAMMA], table[:, FOLD]))
    error = table[order, ERROR].reshape(len(task.folds), -1).T
    sizes = np.array([len(test) for _, test in task.folds])
    wrong = error * sizes
    if not np.allclose(wrong, np.rint(wrong), atol=1e-6):
        raise RuntimeError(
            "liquidSVM made folds of other sizes than asked for: its errors cannot be compared."
        )
    return sizes - np.rint(wrong).astype(int)


def relative_gap(task: Task, K: np.ndarray, C: float) -> float:
    """Largest (primal − dual) / dual of its machines of all folds for one C, two classes, no offset.

    Its Python wrapper shows no coefficients. A function of its library returns a structure that holds them:
    pointers to the first and behind the last of the rows of support vectors (words 9 and 10) and of their
    coefficients (words 12 and 13), as the build for Linux on x86-64 lays it out.
    """
    y = 2.0 * task.y - 1.0
    machine = liquidSVM.SVM(
        task.X,
        y,
        scenario="MC AvA_hinge",
        threads=1,
        folds=len(task.folds),
        folds_kind=ALTERNATING,
        gammas=_decimals(task.gammas**-0.5),
        c_values=_decimals(np.array([C])),
    )
    machine.train()
    machine.select()
    library = next(value for value in vars(liquidSVM).values() if isinstance(value, ctypes.CDLL))
    get = library._Z23liquid_svm_get_solutionijjj
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_int, *[ctypes.c_uint] * 3]
    worst = 0.0
    for fold, (train, _) in enumerate(task.folds, start=1):
        room = ctypes.create_string_buffer(8192)
        get(ctypes.addressof(room), machine.cookie, 1, 1, fold)
        words = np.frombuffer(room.raw, np.uint64)
        rows, coefficients = _vector(words[9:11], np.uint32), _vector(words[12:14], np.float64)
        if not (np.isin(rows, train).all() and (coefficients * y[rows] >= 0.0).all()):
            raise RuntimeError("liquidSVM's coefficients do not lie where its build for Linux has them.")
        f = K[:, rows] @ coefficients
        quadratic = coefficients @ f[rows]
        primal = 0.5 * quadratic + C * np.maximum(0.0, 1.0 - y[train] * f[train]).sum()
        dual = np.abs(coefficients).sum() - 0.5 * quadratic
        worst = max(worst, (primal - dual) / dual)
    machine.clean()
    return worst


def _vector(ends: np.ndarray, dtype: type) -> np.ndarray:
    """A copy of what lies between two addresses."""
    first, behind = (int(address) for address in ends)
    return np.frombuffer(ctypes.string_at(first, behind - first), dtype)


def _decimals(values: np.ndarray) -> list[str]:
    """Numbers without exponents, which its parser does not know."""
    return [f"{value:.12f}" for value in values]


cpath = grid = _cross_validate
