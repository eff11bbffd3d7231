"""
Save the model, or export it to scikit-learn
============================================

**What you learn:** how to save and load a tuned model without executing code from the file, and how to turn
it into a plain scikit-learn Pipeline with the same probabilities.

A Gaussian kernel with a learned metric is an RBF kernel after a linear map of the inputs. So the export
needs only scikit-learn's own classes: a scaler, a map, and an SVC in a CalibratedClassifierCV.
"""

import tempfile
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_wine

import kernelwise
from kernelwise import TunedSVC

X, y = load_wine(return_X_y=True)
model = TunedSVC("mahalanobis-full", multiclass="ovr").fit(X, y)
pipeline = model.to_sklearn()
print(pipeline)

# %%
# The file contains arrays and JSON with a checksum. `kernelwise.load` checks it and runs no code from it.
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "wine.kw"
    model.save(path)
    loaded = kernelwise.load(path)
print(
    "loaded, same to the last bit:", np.array_equal(loaded.decision_function(X), model.decision_function(X))
)

# %%
# The left picture compares the probabilities of both models for the three classes. The right picture shows
# how much they differ.
ours, theirs = model.predict_proba(X).ravel(), pipeline.predict_proba(X).ravel()
figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
axes[0].plot(ours, theirs, ".", color="#0072b2")
axes[0].set(xlabel="kernelwise", ylabel="scikit-learn's Pipeline", title="probabilities")
axes[1].hist(np.abs(ours - theirs), bins=30, color="#0072b2")
axes[1].set(xlabel="difference", title="no more than rounding")
plt.show()
