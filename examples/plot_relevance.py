"""
Which features matter
=====================

**What you learn:** how to find the few features that separate the classes, when no feature does it alone.

In these data (Weston and others, 2000) two features of many separate the classes, and only together. Each
class consists of two clouds on opposite sides of the origin. So the mean of every feature is the same in both
classes, and a test of single features finds nothing.
"""

from matplotlib import pyplot as plt
from sklearn.feature_selection import f_classif

from kernelwise import TunedSVC
from kernelwise.datasets import make_weston

X, y = make_weston(1100, n_noise=10, random_state=0)
X, X_test, y, y_test = X[:100], X[100:], y[:100], y[100:]

plain = TunedSVC().fit(X, y)
model = TunedSVC("diagonal").fit(X, y)  # a width for each feature, learned
print(f"one width for all:        {100 * plain.score(X_test, y_test):.1f} % accuracy on new points")
print(f"a width for each feature: {100 * model.score(X_test, y_test):.1f} %")

# %%
# The left picture shows how well single features separate the classes, by an F test. The right picture shows
# ``relevance_``, the share of each feature in the squared distances that the kernel uses. `RelevanceDisplay`
# draws it with names, for many features. For each fold the weights were learned again without the rows of
# that fold.
figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
axes[0].bar(range(X.shape[1]), f_classif(X, y)[0], color="#5c6873")
axes[0].set(xlabel="feature", title="F of single features")
axes[1].bar(range(X.shape[1]), 100 * model.relevance_, color="#0072b2")
axes[1].set(xlabel="feature", ylabel="%", title="share in the learned metric")
plt.show()
