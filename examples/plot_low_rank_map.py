"""
A map of the classes
====================

**What you learn:** how to map many features to a plane that separates the classes, and how another method can
use this map.

`MetricTransformer` learns a metric of rank two. This is a linear map to the plane, in which an RBF kernel is
aligned with the classes. Principal components show the directions of the largest spread and ignore the
classes.
"""

from matplotlib import pyplot as plt
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelwise import MetricTransformer

X, y = load_digits(n_class=6, return_X_y=True)
X, X_test, y, y_test = X[:400], X[400:], y[:400], y[400:]
maps = {
    "principal components": make_pipeline(StandardScaler(), PCA(2)),
    "learned metric of rank 2": MetricTransformer("low-rank", starts=(2.0,)),
}
for name, chart in maps.items():
    neighbours = KNeighborsClassifier().fit(chart.fit(X, y).transform(X), y)
    right = neighbours.score(chart.transform(X_test), y_test)
    print(f"{name:25s} accuracy of nearest neighbours on new digits: {100 * right:.1f} %")

# %%
# The pictures show new digits only, which neither map has seen.
figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for ax, (name, chart) in zip(axes, maps.items(), strict=True):
    for label, colour in enumerate(("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")):
        ax.scatter(*chart.transform(X_test[y_test == label]).T, color=colour, s=10, label=f"digit {label}")
    ax.set(title=name, xticks=[], yticks=[])
axes[0].legend(fontsize="small")
plt.show()
