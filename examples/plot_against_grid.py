"""
Comparison with a full grid
===========================

**What you learn:** how few pairs of γ and C `TunedSVC` tries, and how its result compares with a full grid.

`GridSearchSVC` gives the result of scikit-learn's ``GridSearchCV(SVC())`` on the same folds. It shares Gram
matrices between settings, so the whole grid takes about a second here. `TunedSVC` tries a few values of γ.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from kernelwise import GridSearchSVC, TunedSVC

X, y = load_breast_cancer(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
gammas, Cs = 2.0 ** np.arange(-15, 4), 2.0 ** np.arange(-5, 16)
grid = GridSearchSVC({"gamma": gammas.tolist(), "C": Cs.tolist()}, scaler="standard", cv=5).fit(X, y)
model = TunedSVC("rbf").fit(X, y)

for name, fitted, n_cells in (
    ("full grid", grid, len(grid.cv_results_["params"])),
    ("TunedSVC", model, len(model.cv_results_["params"])),
):
    accuracy = 100 * fitted.score(X_test, y_test)
    print(f"{name:10s} {n_cells:4d} settings, accuracy on the test half: {accuracy:.1f} %")

# %%
# The colours show the held-out accuracy of each setting in the grid. The dots are the settings that
# `TunedSVC` tried, and the star is its choice. The good settings form a ridge, not a point: settings next to
# the best one are as good as the best one, up to chance.
scores = np.zeros((len(Cs), len(gammas)))
for setting, score in zip(grid.cv_results_["params"], grid.cv_results_["mean_test_score"], strict=True):
    scores[np.searchsorted(Cs, setting["C"]), np.searchsorted(gammas, setting["gamma"])] = score
tried = model.cv_results_
figure, ax = plt.subplots(figsize=(7, 5), layout="constrained")
mesh = ax.pcolormesh(gammas, Cs, scores, cmap="cividis", shading="nearest")
ax.scatter([kernel.gamma for kernel in tried["param_kernel"]], tried["param_C"], color="white", s=12)
ax.scatter(model.kernel_.gamma, model.C_, marker="*", s=200, color="#d55e00")
ax.set(xscale="log", yscale="log", xlabel="γ", ylabel="C", xlim=(gammas[0], gammas[-1]), ylim=(Cs[0], Cs[-1]))
figure.colorbar(mesh, label="held-out accuracy of the grid")
plt.show()
