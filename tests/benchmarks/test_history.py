"""The file of ratios: what is written is read again, and what fell is seen."""

import pytest

from benchmarks import history


def test_ratios_are_kept_and_a_fall_is_seen(tmp_path, monkeypatch, capsys):
    path = tmp_path / "history.csv"
    for value in (10.0, 12.0, 11.0):
        history.append(path, {"path": value, "fit": 5.0}, "2026-01-01")
    assert history.earlier(path) == {"path": [10.0, 12.0, 11.0], "fit": [5.0] * 3}
    assert len(path.read_text().splitlines()) == 7  # one header

    monkeypatch.setattr(history, "FILE", path)
    monkeypatch.setattr(history, "pairs", lambda: iter([("path", None), ("fit", None), ("new", None)]))
    now = iter([7.0, 5.1, 1.0])
    monkeypatch.setattr(history, "ratio_of", lambda pair, repeat: next(now))
    assert history.main([]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.endswith("SLOWER") for line in lines] == [True, False, False]
    assert len(path.read_text().splitlines()) == 7  # nothing is appended unless asked for


def test_since_a_version_a_tenth_is_told(tmp_path, monkeypatch, capsys):
    path = tmp_path / "history.csv"
    for version, value in (("0.1.0", 10.0), ("0.1.1", 20.0)):
        monkeypatch.setattr("kernelwise.__version__", version)
        history.append(path, {"path": value, "fit": value}, "2026-01-01")
    assert history.earlier(path, "0.1.0") == {"path": [10.0], "fit": [10.0]}
    monkeypatch.setattr(history, "FILE", path)
    monkeypatch.setattr(history, "pairs", lambda: iter([("path", None), ("fit", None)]))
    now = iter([8.9, 9.1])
    monkeypatch.setattr(history, "ratio_of", lambda pair, repeat: next(now))
    assert history.main(["--since", "0.1.0"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.endswith("SLOWER") for line in lines] == [True, False]
    with pytest.raises(SystemExit):
        history.main(["--since", "0.3.0"])
    assert "history.csv has no run of version 0.3.0." in capsys.readouterr().err


def test_a_ratio_is_the_reference_by_ours(monkeypatch):
    clock = iter([0.0, 8.0, 10.0, 12.0, 20.0, 26.0, 30.0, 33.0])
    monkeypatch.setattr(history, "cpu_seconds", lambda: next(clock))
    assert history.ratio_of((lambda: None, lambda: None), 2) == 3.0  # 6, the least of 8 and 6, to 2


def test_code_apart_is_byte_code_after_the_first_run(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "small.py").write_text("")
    history.run_apart("import small", str(tmp_path / "cache"))
    assert len(list((tmp_path / "cache").rglob("small.*.pyc"))) == 1
