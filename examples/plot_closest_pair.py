"""
When a criterion runs away
==========================

**One learns:** why some criteria want an infinitely narrow kernel on some data, and how `diagnose` sees it
beforehand.

T. Glasmachers proved that radius-margin, polarization and alignment have an optimum at σ → 0 exactly when
the two closest samples have different labels. One mislabelled sample next to another is enough.
"""

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import make_moons
from sklearn.preprocessing import StandardScaler

from kernelwise import diagnose
from kernelwise.diagnostics import boundary_verdict
from kernelwise.selection import glasmachers_curves

X, y = make_moons(60, noise=0.1, random_state=1)
X = StandardScaler().fit_transform(X)
first, second = boundary_verdict(X, y).pair.samples
spoiled = y.copy()
spoiled[second] = 1 - y[first]

for name, labels in (("as it is", y), ("one label changed", spoiled)):
    finding = next(finding for finding in diagnose(X, labels) if finding.name == "closest-pair")
    print(f"{name}: [{finding.severity}] {finding}\n")

# %%
# Polarization of very narrow kernels, less its value at σ = 0. As the data are, it rises as soon as the
# kernel gets wider. With one label changed it falls first: a search that starts at the left never comes
# back. `TunedSVC` takes widths from several criteria and lets cross-validation decide.
sigmas = np.linspace(0.004, 0.05, 100)
figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharey=True)
for ax, labels, title in ((axes[0], y, "as it is"), (axes[1], spoiled, "one label changed")):
    curves = glasmachers_curves(X, labels, sigmas)
    ax.axhline(0.0, color="#c3cbd2")
    ax.plot(sigmas, curves.polarization - len(y), color="#0072b2")
    ax.set(xlabel="σ", title=title)
axes[0].set_ylabel("polarization, less that at σ = 0")
plt.show()
