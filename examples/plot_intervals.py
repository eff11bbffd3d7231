"""
Intervals and sets of classes
=============================

**What you learn:** a model can say how sure it is, in a way that holds for new rows.

`predict_interval` of `TunedSVR` gives an interval for every prediction. 90 % of new rows are inside, whatever
the noise is like, because the width comes from rows that the search held out (conformal prediction). The
interval is wide where similar rows were predicted badly. MAPIE does the same around any model of
scikit-learn; its usual intervals have one width everywhere.
"""

import numpy as np
from mapie.regression import CrossConformalRegressor
from matplotlib import pyplot as plt
from sklearn.datasets import make_moons

from kernelwise import SVR, TunedSVC, TunedSVR

#: Of an empty set, one class, the other, and both.
COLOURS = ["#ffffff", "#a6cee3", "#fdd0a2", "#8c7f99"]
rng = np.random.default_rng(0)


def draw(n):
    x = rng.uniform(0.0, 10.0, n)
    return x[:, None], np.sin(x) + (0.05 + 0.08 * x) * rng.normal(size=n)


X, y = draw(500)
X_new, y_new = draw(5000)
model = TunedSVR().fit(X, y)
intervals = model.predict_interval(X_new, coverage=0.9)

machine = SVR(model.kernel_, C=model.C_ * model.target_scale_, epsilon=model.epsilon_ * model.target_scale_)
scaled, scaled_new = (model.scaler_.transform(rows) for rows in (X, X_new))
theirs = CrossConformalRegressor(machine, confidence_level=0.9, cv=5, random_state=0)
_, of_mapie = theirs.fit_conformalize(scaled, y).predict_interval(scaled_new)

# %%
# Both cover 90 % of the new rows. The intervals of one width cover all rows on the left, and too few on the
# right.
fifth = np.minimum(X_new[:, 0] // 2.0, 4.0).astype(int)
for name, (low, high) in {"kernelwise": intervals.T, "MAPIE": of_mapie[:, :, 0].T}.items():
    inside = (low <= y_new) & (y_new <= high)
    shares = ", ".join(f"{100 * inside[fifth == k].mean():.0f} %" for k in range(5))
    print(f"{name:10} {100 * inside.mean():.1f} % of all rows; by fifth of x: {shares}")

# %%
# `predict_set` of `TunedSVC` gives the classes among which the true one is. In the right picture, both
# classes are in the sets of the dark area: the model cannot tell them apart there.
points, label = make_moons(500, noise=0.3, random_state=0)
classes = TunedSVC().fit(points, label)
grid = np.stack(np.meshgrid(np.linspace(-2, 3, 150), np.linspace(-1.5, 2, 150)), axis=-1)
sets = classes.predict_set(grid.reshape(-1, 2), coverage=0.95)

figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
order = np.argsort(X_new[:, 0])
for ends, colour, name in ((intervals, "#0072b2", "kernelwise"), (of_mapie[:, :, 0], "#d55e00", "MAPIE")):
    axes[0].plot(X_new[order], ends[order], color=colour)
    axes[0].plot([], [], color=colour, label=f"90 % intervals, {name}")
axes[0].plot(X_new[order], model.predict(X_new)[order], color="black", label="prediction")
axes[0].scatter(X, y, s=4, color="grey")
axes[0].legend(loc="lower left", fontsize="small")
shown = sets @ [1, 2]
axes[1].contourf(*np.moveaxis(grid, -1, 0), shown.reshape(150, 150), np.arange(-0.5, 4.0), colors=COLOURS)
axes[1].scatter(*points.T, c=np.where(label, "white", "black"), s=5)
axes[1].set(xticks=[], yticks=[], title="sets of 95 %: one class, the other, both")
plt.show()
