"""
Which features matter
=====================

**One learns:** how to find the few features that carry the classes, when no feature does it alone.

In these data (Weston and others, 2000) two features of many tell the classes apart, and only together: each
class is two clouds on opposite sides of the origin, so that the mean of every feature is the same in both
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
print(f"one width for all:        {100 * plain.score(X_test, y_test):.1f} % right on new points")
print(f"a width for each feature: {100 * model.score(X_test, y_test):.1f} %")

# %%
# Left: how well single features tell the classes apart, by an F test. Right: ``relevance_``, the share of
# each feature in the squared distances that the kernel sees. (`RelevanceDisplay` draws it with names, for
# many features.) Metrics were scored with weights learned again without each fold.
figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
axes[0].bar(range(X.shape[1]), f_classif(X, y)[0], color="#5c6873")
axes[0].set(xlabel="feature", title="F of single features")
axes[1].bar(range(X.shape[1]), 100 * model.relevance_, color="#0072b2")
axes[1].set(xlabel="feature", ylabel="%", title="share in the learned metric")
plt.show()
