"""
Your own kernel for strings
===========================

**What you learn:** how to compare kernels on data that are not vectors, using only their Gram matrices, and
how to tune a model with the best one.

The samples are strings of four letters. The strings of one class contain a short motif. A spectrum kernel
counts the substrings of length k that two strings share. Which k is best?
"""

import numpy as np
from matplotlib import pyplot as plt

from kernelwise import TunedSVC
from kernelwise.metrics import esdr, kernel_target_alignment

rng = np.random.default_rng(0)
strings = ["".join(rng.choice(list("ACGT"), 30)) for _ in range(200)]
y = np.arange(200) % 2
for k in np.flatnonzero(y):
    place = rng.integers(0, 26)
    strings[k] = strings[k][:place] + "GATA" + strings[k][place + 4 :]


def spectrum_kernel(strings, length):
    """Cosine of the counts of substrings, shape (n_strings, n_strings)."""
    words = sorted({s[i : i + length] for s in strings for i in range(len(s) - length + 1)})
    place = {word: k for k, word in enumerate(words)}
    counts = np.zeros((len(strings), len(words)))
    for row, s in zip(counts, strings, strict=True):
        for i in range(len(s) - length + 1):
            row[place[s[i : i + length]]] += 1
    counts /= np.linalg.norm(counts, axis=1, keepdims=True)
    return counts @ counts.T


# %%
# We compute two criteria for every k, without training a model. For comparison, `TunedSVC` chooses C for each
# Gram matrix, and we plot its accuracy next to the criteria.
lengths = range(1, 8)
grams = [spectrum_kernel(strings, k) for k in lengths]
alignment = [kernel_target_alignment(K, y, centered=True) for K in grams]
ratio = [esdr(K, y) for K in grams]
accuracy = [TunedSVC("precomputed").fit(K, y).best_score_ for K in grams]
print("largest alignment at k =", lengths[int(np.argmax(alignment))])
print("largest ESDR at k =", lengths[int(np.argmax(ratio))])
print("largest cross-validated accuracy at k =", lengths[int(np.argmax(accuracy))])

figure, axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained")
for ax, values, title in zip(
    axes, (alignment, ratio, accuracy), ("centred alignment", "ESDR", "held-out accuracy"), strict=True
):
    ax.plot(lengths, values, "o-", color="#0072b2")
    ax.set(title=title, xlabel="length of substrings")
plt.show()
