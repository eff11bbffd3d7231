"""
When a criterion runs away
==========================

**What you learn:** why some criteria prefer an infinitely narrow kernel on some data, and how `diagnose`
warns you before you search.

T. Glasmachers proved that radius-margin, polarization and alignment have an optimum at σ → 0 exactly when
the two closest samples have different labels. One wrong label on one of two close samples is enough.
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

for name, labels in (("original labels", y), ("one label changed", spoiled)):
    finding = next(finding for finding in diagnose(X, labels) if finding.name == "closest-pair")
    print(f"{name}: [{finding.severity}] {finding}\n")

# %%
# The curves show the polarization of very narrow kernels, minus its value at σ = 0. With the original labels
# it rises as soon as the kernel gets wider. With one label changed it falls first, so a search that starts on
# the left stays there. `TunedSVC` collects widths from several criteria and lets cross-validation decide.
sigmas = np.linspace(0.004, 0.05, 100)
figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharey=True)
for ax, labels, title in ((axes[0], y, "original labels"), (axes[1], spoiled, "one label changed")):
    curves = glasmachers_curves(X, labels, sigmas)
    ax.axhline(0.0, color="#c3cbd2")
    ax.plot(sigmas, curves.polarization - len(y), color="#0072b2")
    ax.set(xlabel="σ", title=title)
axes[0].set_ylabel("polarization, minus its value at σ = 0")
plt.show()
