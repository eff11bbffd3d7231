"""
What choosing a width means
===========================

**One learns:** what a kernel that is too wide, one that is too narrow and the chosen one make of the same
points, and that the choice is one line.

The points are two noisy half moons. Three machines have the same C and differ in the width of their kernel
alone: a sixteenth and sixty-four times the γ that `TunedSVC` chose, and that γ itself.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import make_moons
from sklearn.model_selection import train_test_split

from kernelwise import SVC, TunedSVC
from kernelwise.kernels import RBF

X, y = make_moons(400, noise=0.3, random_state=0)
X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, random_state=0)

model = TunedSVC(scale=None).fit(X, y)  # chooses γ and C, and trains
print(model.kernel_, f"C = {model.C_:g}")

# %%
# The machine with the wide kernel cannot bend enough; the narrow one follows single points.
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
    ax.set(xticks=[], yticks=[], xlabel=f"right on new points: {right:.1f} %")
    ax.set_title(f"{title}: γ = {machine.kernel_.gamma:.2g}")
plt.show()
