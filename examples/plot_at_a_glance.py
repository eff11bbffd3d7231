"""
What choosing a width means
===========================

**What you learn:** what happens when a kernel is too wide or too narrow, and how one line of code chooses the
right width.

The points are two noisy half moons. The three models have the same C and differ only in the width of their
kernel. The first has a sixteenth of the γ that `TunedSVC` chose, the second has that γ, and the third has
sixty-four times that γ.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import make_moons
from sklearn.model_selection import train_test_split

from kernelwise import SVC, TunedSVC
from kernelwise.kernels import RBF

X, y = make_moons(400, noise=0.3, random_state=0)
X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, random_state=0)

model = TunedSVC("rbf", scale=None).fit(X, y)  # chooses γ and C, and trains
print(model.kernel_, f"C = {model.C_:g}")

# %%
# The boundary of the wide kernel cannot bend enough. The boundary of the narrow kernel follows single points.
gamma = model.kernel_.gamma
machines = {
    "too wide": SVC(kernel=RBF(gamma / 16), C=model.C_).fit(X, y),
    "chosen": model,
    "too narrow": SVC(kernel=RBF(gamma * 64), C=model.C_).fit(X, y),
}
grid = np.stack(np.meshgrid(np.linspace(-2, 3, 200), np.linspace(-1.6, 2.1, 200)), axis=-1)
figure, axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained")
for ax, (title, machine) in zip(axes, machines.items(), strict=True):
    regions = machine.predict(grid.reshape(-1, 2)).reshape(grid.shape[:2])
    ax.contourf(*np.moveaxis(grid, -1, 0), regions, levels=[-0.5, 0.5, 1.5], colors=["#cfe3f1", "#f7dcc8"])
    for label, colour in enumerate(("#0072b2", "#d55e00")):
        ax.scatter(*X[y == label].T, color=colour, s=8)
    right = 100 * machine.score(X_test, y_test)
    ax.set(xticks=[], yticks=[], xlabel=f"accuracy on new points: {right:.1f} %")
    ax.set_title(f"{title}: γ = {machine.kernel_.gamma:.2g}")
plt.show()
