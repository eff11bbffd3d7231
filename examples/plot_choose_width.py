"""
A width in a moment, and why
============================

**One learns:** where the candidates of `TunedSVC` come from, and how to see whether to believe the choice.

One pass over the pairs of samples gives several class separability criteria for *every* width γ of the
kernel. They disagree, so none of them is trusted alone: the widths at their peaks, and a few around the
best of them, are scored by cross-validation, each along a path of C.
"""

from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer

from kernelwise import CPathDisplay, CriterionDisplay, TunedSVC

X, y = load_breast_cancer(return_X_y=True)
model = TunedSVC().fit(X, y)
print(*model.result_.why, sep="\n")

# %%
# The curves are the criteria, each drawn from its lowest to its highest value. The dots are held-out
# accuracies, with one standard error, at the best C of each width; the star is the choice. It goes by
# scores averaged over three neighbouring values of C, so that a single lucky cell does not win. Where many
# dots are as high as the star, the width hardly matters; where the star stands alone on a slope, look again
# with more folds (``cv=10``).
CriterionDisplay.from_estimator(model)
plt.show()

# %%
# The same for C, at the chosen width. Paths of the other widths are behind it.
CPathDisplay.from_estimator(model)
plt.show()
