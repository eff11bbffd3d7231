"""
Which criterion can be trusted here?
====================================

**What you learn:** how to set all criteria beside the cross-validated accuracy of your own data, and which of
them would have chosen a good width.

A criterion chooses the width of a kernel without cross-validation. Whether it chooses well depends on the
data. `criterion_curves` computes criteria for many widths and cross-validates each of them, so that you see
both.
"""

from matplotlib import pyplot as plt
from sklearn.datasets import load_breast_cancer, load_iris

from kernelwise import WidthCurvesDisplay, criterion_curves

cancer = [part[:120] for part in load_breast_cancer(return_X_y=True)]
iris = [part[50:] for part in load_iris(return_X_y=True)]
found = {"breast cancer": criterion_curves(*cancer, "all"), "iris": criterion_curves(*iris, "all")}
print(found["breast cancer"])

# %%
# Each row is a criterion, drawn upwards where it is better. The grey area is the accuracy. The star is the
# width that the criterion chooses, and the dashed line is the most accurate width. The rows are in the order
# of the rank correlation of criterion and accuracy over all widths, with its error from leaving out folds.
#
# The margin, the VC bound and FSM are among the last on both sets: they prefer kernels so narrow that every
# row is similar only to itself. ESDR and J4 follow the accuracy well, but their stars are at an end of the
# range: they rise until the kernel is as good as linear, and choose no width.
height = WidthCurvesDisplay.size_of(found["iris"])[1]
figure, axes = plt.subplots(1, 2, figsize=(14, height), layout="constrained")
for ax, (name, curves) in zip(axes, found.items(), strict=True):
    WidthCurvesDisplay.from_curves(curves, ax=ax)
    ax.set_title(name, pad=28)
plt.show()
