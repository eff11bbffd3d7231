"""
How the width is chosen, and why
================================

**What you learn:** where the candidates of `TunedSVC` come from, and how to check whether the choice is
reliable.

One pass over the pairs of samples gives several measures of class separability, called criteria, for *every*
width γ of the kernel. The criteria disagree, so `TunedSVC` does not rely on any single one. It takes the
widths at their peaks and a few widths around the best of those, and scores each by cross-validation for a
series of values of C.
"""

from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer

from kernelwise import CPathDisplay, CriterionDisplay, TunedSVC

X, y = load_breast_cancer(return_X_y=True)
model = TunedSVC().fit(X, y)
print(*model.result_.why, sep="\n")

# %%
# The curves are the criteria, each drawn from its lowest to its highest value. Each dot is the held-out
# accuracy of a width at its best C, with one standard error. The star is the choice. The choice is made by
# scores averaged over three neighbouring values of C, so that a single lucky setting does not win. If many
# dots are as high as the star, the width hardly matters. If the star stands alone on a slope, repeat the
# search with more folds (``cv=10``).
CriterionDisplay.from_estimator(model)
plt.show()

# %%
# This picture shows the held-out accuracy for each C at the chosen width. The paler lines behind it belong to
# the other widths.
CPathDisplay.from_estimator(model)
plt.show()
