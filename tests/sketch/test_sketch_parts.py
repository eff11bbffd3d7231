"""Sketches in shares, on disk, and from sampled blocks."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise.sketch.sketch import DistanceSketch

RNG = np.random.default_rng(2)
X = RNG.normal(size=(600, 5)) + RNG.normal(size=(3, 5))[np.arange(600) % 3]
Y = np.array(["ant", "bee", "cat"])[np.arange(600) % 3]
GAMMAS = np.geomspace(1e-3, 10.0, 9)


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr("kernelwise.sketch.pair_blocks.BLOCK", 40)
    monkeypatch.setattr("kernelwise.sketch.pair_blocks.TASK", 5000)


@pytest.mark.parametrize("n_blocks", [None, 6])
def test_shares_add_up_to_the_whole(small_blocks, n_blocks):
    whole = DistanceSketch.from_data(X, Y, n_blocks=n_blocks)
    shares = [DistanceSketch.from_data(X, Y, n_blocks=n_blocks, part=(k, 3)) for k in range(3)]
    merged = shares[2].merge(shares[0]).merge(shares[1])
    np.testing.assert_array_equal(merged.used, whole.used)
    np.testing.assert_allclose(merged.curve("dbtc", GAMMAS), whole.curve("dbtc", GAMMAS), rtol=1e-12)
    with pytest.raises(ValueError, match=r"has seen 2 of 3 parts of the pairs\. Merge the others first"):
        shares[0].merge(shares[1]).curve("dbtc", GAMMAS)
    with pytest.raises(ValueError, match="Part 1 is in both"):
        merged.merge(shares[1])


def test_shares_of_other_data_are_refused():
    share = DistanceSketch.from_data(X, Y, part=(0, 2))
    for other in (
        DistanceSketch.from_data(X, Y, part=(1, 3)),
        DistanceSketch.from_data(X * 100.0, Y, part=(1, 2)),
        DistanceSketch.from_data(X, Y == "ant", part=(1, 2)),
        DistanceSketch.from_data(X, Y, part=(1, 2), n_blocks=2),
    ):
        with pytest.raises(ValueError, match="These sketches differ"):
            share.merge(other)
    with pytest.raises(ValueError, match="part must be"):
        DistanceSketch.from_data(X, Y, part=(2, 2))


@pytest.mark.parametrize("labels", [Y, Y.astype(object), np.arange(600) % 4])
def test_a_file_brings_the_sketch_back(tmp_path, labels):
    sketch = DistanceSketch.from_data(X, labels)
    sketch.save(tmp_path / "sketch.npz")
    loaded = DistanceSketch.load(tmp_path / "sketch.npz")
    assert loaded.classes.tolist() == sketch.classes.tolist()
    np.testing.assert_array_equal(loaded.curve("kta", GAMMAS), sketch.curve("kta", GAMMAS))
    assert [file.name for file in tmp_path.iterdir()] == ["sketch.npz"]


def test_bad_files_get_one_sentence(tmp_path):
    path = tmp_path / "sketch.npz"
    sketch = DistanceSketch.from_data(X, Y)
    sketch.save(path)
    whole = path.read_bytes()
    for broken in (whole[: len(whole) // 2], b"", b"not a sketch", whole[:-200] + b"\0" * 200):
        path.write_bytes(broken)
        with pytest.raises(ValueError, match="is not a distance sketch, or it is damaged"):
            DistanceSketch.load(path)
    np.savez(path, something=1)
    with pytest.raises(ValueError, match="is not a distance sketch"):
        DistanceSketch.load(path)
    np.savez(path, format=99)
    with pytest.raises(ValueError, match=r"written by a newer version of kernelwise \(format 99"):
        DistanceSketch.load(path)
    with pytest.raises(FileNotFoundError):
        DistanceSketch.load(tmp_path / "nothing.npz")


@pytest.mark.slow
def test_sampled_blocks_agree_within_their_standard_error(small_blocks):
    exact = DistanceSketch.from_data(X, Y).curve("dbtc", GAMMAS, "ovr")
    draws = [DistanceSketch.from_data(X, Y, n_blocks=10, random_state=k) for k in range(60)]
    values, std = np.array([d.curve("dbtc", GAMMAS, "ovr", return_std=True) for d in draws]).transpose(
        1, 0, 2
    )
    z = (values - exact) / std
    # 60 draws: means near zero (no bias), spread near one (honest errors; t-distributed, so a little more).
    assert np.abs(z.mean(axis=0)).max() < 4.0 / np.sqrt(60) * 1.3
    spread = np.sqrt((z**2).mean(axis=0))
    assert (spread > 0.75).all()
    assert (spread < 1.6).all()
    best = draws[0].maximize("dbtc")
    assert (best.values_std > 0).all()
    assert (best.gammas_std > 0).all()
    assert best.gammas == pytest.approx(DistanceSketch.from_data(X, Y).maximize("dbtc").gammas, rel=0.5)


@pytest.mark.slow
def test_sampled_sums_have_no_bias(small_blocks):
    exact = DistanceSketch.from_data(X, Y).derivatives(0.1, 1)
    draws = [DistanceSketch.from_data(X, Y, n_blocks=4, random_state=k) for k in range(60)]
    values, std = np.array([d.derivatives(0.1, 1, return_std=True) for d in draws]).swapaxes(0, 1)
    mean_error = (values.mean(axis=0) - exact) / (values.std(axis=0) / np.sqrt(60))
    assert np.abs(mean_error).max() < 4.0
    assert np.median(std.mean(axis=0) / values.std(axis=0)) == pytest.approx(1.0, abs=0.25)


def test_sampling_is_repeatable_and_stops_at_all_pairs(small_blocks):
    one, two = (DistanceSketch.from_data(X, Y, n_blocks=4, random_state=3) for _ in range(2))
    assert np.array_equal(one.moments, two.moments)
    whole = DistanceSketch.from_data(X, Y, n_blocks=1000)
    values, std = whole.curve("esdr", GAMMAS, return_std=True)
    np.testing.assert_allclose(values, DistanceSketch.from_data(X, Y).curve("esdr", GAMMAS), rtol=1e-9)
    np.testing.assert_allclose(std, 0.0, atol=1e-9)
    weighted = DistanceSketch.from_data(X, Y, n_blocks=8, sample_weight=RNG.random(600) + 0.5)
    assert (weighted.curve("esdr", GAMMAS, return_std=True)[1] > 0).all()


def test_exact_sketches_have_no_standard_error():
    values, std = DistanceSketch.from_data(X, Y).curve("j4", GAMMAS, return_std=True)
    assert values.shape == std.shape
    assert not std.any()


def test_few_rows_can_be_shared_out():
    """One task does all of them; the other share has nothing to do."""
    few = [DistanceSketch.from_data(X[:30], Y[:30], part=(k, 3)) for k in range(3)]
    merged = few[0].merge(few[1]).merge(few[2])
    whole = DistanceSketch.from_data(X[:30], Y[:30])
    np.testing.assert_array_equal(merged.sums([0.3]).S, whole.sums([0.3]).S)
