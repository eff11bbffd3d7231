"""
One problem, several searches
=============================

**One learns:** how to put together a kernel, a criterion and a search by hand, and what second derivatives
are worth.

A `TuningProblem` is a kernel, a criterion and samples. Every optimizer sees only that, so any three parts
can be combined, and the history has a row for every evaluation.
"""

from matplotlib import pyplot as plt
from sklearn.datasets import load_iris
from sklearn.preprocessing import MinMaxScaler

from kernelwise.kernels import RBF
from kernelwise.optimizers import GradientDescent, QuasiNewton, SecondOrder
from kernelwise.problem import TuningProblem

X, y = load_iris(return_X_y=True)
X = MinMaxScaler().fit_transform(X)
problem = TuningProblem(RBF(0.0025), "dbtc", X, y == 0, bounds={"gamma": (1e-3, 1e3)})

searches = (SecondOrder(), QuasiNewton(), GradientDescent())
results = {type(search).__name__: search.minimize(problem) for search in searches}
for name, result in results.items():
    gamma, n = result.kernel.gamma, result.n_evaluations
    print(f"{name:16s} γ = {gamma:.4f} after {n:2d} evaluations: {result.stop_reason}")

# %%
# All of them end at the peak of the distance between the classes. S. Abe's step, which has three
# derivatives for the price of one pass, gets there first.
figure, axes = plt.subplots(1, 3, figsize=(10, 3.4), layout="constrained", sharey=True)
for ax, (name, result) in zip(axes, results.items(), strict=True):
    path = [row["gamma"] for row in result.history]
    ax.plot(range(len(path)), path, "o-", color="#0072b2", markersize=4)
    ax.axhline(result.kernel.gamma, color="#5c6873", linestyle=":")
    ax.set(title=name, xlabel="evaluation", yscale="log")
axes[0].set_ylabel("γ")
plt.show()
