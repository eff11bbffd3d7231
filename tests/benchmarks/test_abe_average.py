"""Paper 000's average of widths beside each problem's own: machines with one width are the usual ones."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_iris
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC as ReferenceSVC

from benchmarks import abe_average
from kernelwise.selection import abe_parameters

X, Y = load_iris(return_X_y=True)


def test_the_three_ways_are_what_they_are_called():
    parameters = abe_parameters(X, Y).parameters
    ways = abe_average.widths_of(parameters)
    assert tuple(ways) == abe_average.WAYS
    np.testing.assert_array_equal(ways["own"], parameters)
    np.testing.assert_allclose(ways["average"], sum(parameters) / 3)
    np.testing.assert_array_equal(ways["smallest"], sorted(parameters)[0])
    assert abe_parameters(X, Y).parameter == ways["average"][0]


def test_labels_are_those_of_one_machine_for_each_class():
    one = abe_average.predict(X[::2], Y[::2], X[1::2], np.full(3, 0.5), 10.0)
    reference = OneVsRestClassifier(ReferenceSVC(C=10.0, gamma=0.5, tol=1e-6)).fit(X[::2], Y[::2])
    np.testing.assert_array_equal(one, reference.predict(X[1::2]))
    gammas = np.array([0.1, 1.0, 5.0])
    outputs = [
        ReferenceSVC(C=10.0, gamma=gamma, tol=1e-6).fit(X[::2], Y[::2] == k).decision_function(X[1::2])
        for k, gamma in enumerate(gammas)
    ]
    own = abe_average.predict(X[::2], Y[::2], X[1::2], gammas, 10.0)
    np.testing.assert_array_equal(own, np.argmax(outputs, axis=0))


def test_a_set_has_an_accuracy_for_each_draw_and_way(capsys):
    shares = abe_average.accuracies(X, Y, 60, 2)
    assert shares.shape == (2, 3)
    assert (shares > 0.8).all()
