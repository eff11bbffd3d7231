"""The numerics the rest shares: the SVM dual, its path over C, the enclosing ball."""

from .ball import EnclosingBall, minimum_enclosing_ball
from .multiclass import vote
from .path import SVMPath, path_predictions, svm_path
from .smo import SVMSolution, solve_svm_dual

__all__ = [
    "EnclosingBall",
    "SVMPath",
    "SVMSolution",
    "minimum_enclosing_ball",
    "path_predictions",
    "solve_svm_dual",
    "svm_path",
    "vote",
]
