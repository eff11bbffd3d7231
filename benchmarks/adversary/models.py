"""Model files: changed values, arrays and archives with a right checksum, and changed bytes.

A file is refused with a ValueError in one sentence, or it is a model that answers. Nothing is executed.
"""

from __future__ import annotations

import copy
import hashlib
import io
import json
import random
import sys
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

import kernelwise
from benchmarks.adversary.batches import Attempt
from benchmarks.adversary.calls.verdict import fault_of_error
from benchmarks.adversary.command_line import SHORT, fault
from benchmarks.adversary.tables import BYTES, whole_files
from kernelwise.cli.app import main as command
from kernelwise.persistence import DIGEST, DOCUMENT, archive

#: What a value of the document may be replaced by.
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 3, 10**6, 10**30, 0.5, -1e308, 5e-324, "", "x", "nan", [], {}, [[]]),
    *({"$": "float", "value": "inf"}, {"$": "float", "value": "nan"}, {"$": "array", "name": "x"}, [1, "a"]),
    *({"$": "tuple", "items": []}, {"$": "objects", "shape": [2**40], "items": []}, "\x1b[31m", "os.system"),
    *({"$": "scalar", "dtype": "<f8", "value": 1.0}, {"$": "scalar", "dtype": "O", "value": 1}, float("inf")),
    *({"$": "instance", "class": "RBF", "params": {}}, {"$": "pairs", "items": [[1, 2]]}, {"$": "csr"}),
)
TYPES = ("?", "i1", "<i8", ">i8", "u1", "<f4", ">f8", "<f8", "<c16", "<U3", "S4", "<M8[D]", "<f2", "<U0")
#: What no file may do while it is read.
FORBIDDEN = ("os.system", "os.exec", "os.posix_spawn", "os.fork", "subprocess.Popen", "pickle.find_class")
NETWORK = ("socket.connect", "socket.bind", "urllib.Request")
events: list[str] = []


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    is_writing = event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+")
    if event in FORBIDDEN + NETWORK or is_writing:
        events.append(f"{event}{arguments[:1]}")


def prepare() -> Attempt:
    """Models of every kind, and what to try with one of them; some go through the command line."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = {name: (_parts(path), path.read_bytes(), rows) for name, path, rows in _models()}
    sys.addaudithook(_watch)
    broken = Path("broken.kw")

    def attempt(seed: str) -> str:
        draw = random.Random(seed)
        (document, arrays), data, rows = models[draw.choice(sorted(models))]
        if draw.random() < 0.2:
            changed = draw.choice(BYTES)(draw, data)
            must_refuse = changed != data
        else:
            changed, must_refuse = _changed(draw, document, arrays), False
        broken.write_bytes(changed)
        if isinstance(rows, Path):
            code, found = fault((draw.choice(["predict", "predict", "explain"]), str(broken), str(rows)))
            return found or ("a file with changed bytes was read" if must_refuse and not code else "")
        return _fault(broken, rows, must_refuse)

    return attempt


def _models() -> Iterator[tuple[str, Path, Any]]:
    """Name, file and rows of models that differ in their parts."""
    import pandas as pd
    from sklearn.datasets import load_iris

    from kernelwise import SVC, NystroemSVC, TunedOneClassSVM, TunedSVC, TunedSVR

    X, y = load_iris(return_X_y=True)
    X, y = X[::3], y[::3]
    frame = pd.DataFrame(X[:, :2], columns=["a", "b"]).assign(
        town=[("Ulm", "Köln", "Bonn")[k % 3] for k in range(50)],
        day=pd.date_range("2024-01-01", periods=50),
        note=[f"word{k % 7} and word{k % 5} of {k}" for k in range(50)],
    )
    frame["day"] = frame["day"].sample(frac=1, random_state=0).to_numpy()  # days that number no rows
    quick = {"Cs": [1.0, 10.0]}
    fitted = {
        "two": (TunedSVC("rbf", **quick).fit(X, y == 1), X),
        "frame": (TunedSVC(**quick).fit(frame, np.array(["p", "q", "r"])[y]), frame),
        "regression": (TunedSVR("mahalanobis", **quick).fit(X[:, :3], X[:, 3]), X[:, :3]),
        "one class": (TunedOneClassSVM("rbf").fit(X), X),
        "gram": (SVC(kernel="precomputed").fit(X @ X.T, y), X @ X.T),
        "nystroem": (NystroemSVC(n_components=10).fit(X, y), X),
        "pairs": (SVC(probability=True, random_state=0).fit(X, y), X),
    }
    for name, (model, rows) in fitted.items():
        path = Path(f"{name}.kw")
        model.save(path)
        yield name, path, rows[:5]
    table = Path("table.csv")
    table.write_bytes(whole_files()["named.csv"])
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        command(("tune", str(table), *SHORT, "--model", "table.kw"))
    yield "table", Path("table.kw"), table


def _parts(path: Path) -> tuple[Any, dict[str, np.ndarray]]:
    with np.load(path) as file:
        return json.loads(file[DOCUMENT]), {name: file[name] for name in file.files if name != DOCUMENT}


def _changed(draw: random.Random, document: Any, arrays: dict[str, np.ndarray]) -> bytes:
    """The bytes of a file with a right checksum and one to three changes."""
    document, arrays = copy.deepcopy(document), dict(arrays)
    for _ in range(draw.choice([1, 1, 1, 2, 3])):
        if draw.random() < 0.6:
            _change_node(draw, document)
        else:
            _change_array(draw, arrays)
    data = _unchecked_archive(document, arrays)
    return draw.choice(ARCHIVES)(draw, data) if draw.random() < 0.15 else data


def _unchecked_archive(document: Any, arrays: dict[str, np.ndarray]) -> bytes:
    """As `archive`, of anything that JSON can write, such as Infinity."""
    try:
        return archive(document, arrays)
    except ValueError:
        return _rewritten(archive({}, arrays), {DOCUMENT: json.dumps(document).encode()})


def _change_node(draw: random.Random, document: Any) -> None:
    """Replace, remove, rename or copy one value anywhere in the document."""
    places = [(owner, key) for owner in _containers(document) for key in _keys(owner)]
    owner, key = draw.choice(places)
    kind = draw.choice(["odd", "odd", "odd", "remove", "rename", "copy", "number"])
    if kind == "remove":
        del owner[key]
    elif kind == "rename" and isinstance(owner, dict):
        owner[draw.choice(["x", "_x", "x_", "__class__", "$", f"{key}_"])] = owner.pop(key)
    elif kind == "copy":
        other, place = draw.choice(places)
        owner[key] = copy.deepcopy(other[place])
    elif kind == "number" and isinstance(owner[key], int | float):
        owner[key] *= draw.choice([-1, 0, 2, 10**9, 0.5])
    else:
        owner[key] = copy.deepcopy(draw.choice(ODD))


def _containers(node: Any) -> Iterator[Any]:
    if isinstance(node, dict | list):
        yield node
        for key in _keys(node):
            yield from _containers(node[key])


def _keys(node: Any) -> list[Any]:
    return list(node) if isinstance(node, dict) else list(range(len(node)))


def _change_array(draw: random.Random, arrays: dict[str, np.ndarray]) -> None:
    name = draw.choice(sorted(arrays))
    values = arrays[name]
    kind = draw.choice(["type", "type", "shape", "value", "value", "swap", "remove", "more", "bytes"])
    if kind == "type":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                arrays[name] = values.astype(draw.choice(TYPES))
            except (TypeError, ValueError):
                arrays[name] = np.zeros(values.shape, draw.choice(TYPES))
    elif kind == "shape":
        shapes = [values[None], values.ravel(), values.T, values[:-1], values.reshape(-1)[:0]]
        shapes += [np.concatenate([values, values[:1]])] if values.ndim else [np.repeat(values, 3)]
        arrays[name] = draw.choice(shapes)
    elif kind == "value" and values.size and values.dtype.kind in "fiu":
        odd = [0, 1, -1, 10**9] + ([np.nan, np.inf, 1e308, 5e-324] if values.dtype.kind == "f" else [])
        arrays[name] = values.copy()
        with np.errstate(all="ignore"):
            arrays[name].flat[draw.randrange(values.size)] = np.array(draw.choice(odd)).astype(values.dtype)
    elif kind == "bytes" and values.nbytes:
        raw = bytearray(values.tobytes())
        raw[draw.randrange(len(raw))] = draw.randrange(256)
        arrays[name] = np.frombuffer(bytes(raw), values.dtype).reshape(values.shape)
    elif kind == "swap":
        arrays[name] = arrays[draw.choice(sorted(arrays))]
    elif kind == "more":
        arrays[f"{name}.more"] = np.zeros(1 << 20)
    else:
        del arrays[name]


def _rewritten(data: bytes, changed: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """The archive with other members, and a right checksum."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w", method) as new:
        for name in {**dict.fromkeys(old.namelist()), **changed}:
            new.writestr(name, changed.get(name) or old.read(name))
        new.comment = bytes(DIGEST)
    return _signed(buffer.getvalue()[:-DIGEST])


def _signed(data: bytes) -> bytes:
    return data + hashlib.sha256(data).hexdigest().encode()


def _flip_inside(draw: random.Random, data: bytes) -> bytes:
    return _signed(draw.choice(BYTES)(draw, data[:-DIGEST]))


def _other_method(draw: random.Random, data: bytes) -> bytes:
    return _rewritten(data, {}, draw.choice([zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, zipfile.ZIP_STORED]))


def _bomb(draw: random.Random, data: bytes) -> bytes:
    """A member that unpacks to much: one that the model has, or another, honest about its size or not."""
    name = draw.choice([DOCUMENT, "x.npy", *zipfile.ZipFile(io.BytesIO(data)).namelist()])
    method = draw.choice([zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
    bomb = _rewritten(data, {name: bytes(1 << 28) if draw.random() < 0.7 else b"[]," * (1 << 22)}, method)
    if draw.random() < 0.5:
        return bomb
    return _signed(bomb[:-DIGEST].replace((1 << 28).to_bytes(4, "little"), b"\0\1\0\0"))


def _lying_header(draw: random.Random, data: bytes) -> bytes:
    """An array whose header asks for another shape or type than its bytes are of."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        name = draw.choice([one for one in file.namelist() if one.endswith(".npy")] or [DOCUMENT])
        contents = file.read(name)
    begin = contents.find(b"'shape': (") + 10
    lies = (b"1000000000000000,", b"2000000000, 3", b"-1,", b"0, 99999999999999999999", b"[[", b"(" * 3000)
    lie = draw.choice([*lies, b"__import__('os')"])
    return _rewritten(data, {name: contents[:begin] + lie + contents[begin + len(lie) :]})


def _encrypted(draw: random.Random, data: bytes) -> bytes:
    """Flags that say that a member is encrypted, in the directory and before the member."""
    place = data.rfind(b"PK\x01\x02", 0, draw.randrange(len(data)) + 4)
    changed = bytearray(data[:-DIGEST])
    changed[max(place, 0) + 8] |= 1
    return _signed(bytes(changed))


def _twice(draw: random.Random, data: bytes) -> bytes:
    """An archive in front of another."""
    return _signed(data[: draw.randrange(len(data))] + data[:-DIGEST])


def _deep(draw: random.Random, data: bytes) -> bytes:
    deep = (b"[" * 10**5, b'{"a":' * 10**5, b'{"format": Infinity}', b'{"format": 1' + b"0" * 5000 + b"}")
    return _rewritten(data, {DOCUMENT: draw.choice(deep)})


ARCHIVES = (_flip_inside, _flip_inside, _other_method, _bomb, _lying_header, _encrypted, _twice, _deep)


def _fault(path: Path, rows: Any, must_refuse: bool) -> str:
    """What is wrong with how a file was read."""
    events.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = kernelwise.load(path)
        except ValueError as error:
            text = str(error)
            is_sentence = str(path) in text and "\n" not in text and len(text) < 600
            return f"did {events}" if events else "" if is_sentence else f"no sentence: {text!r}"
        except Exception as error:
            return f"load: {type(error).__name__}: {error}"
        if must_refuse:
            return "a file with changed bytes was read"
        for method in ("predict", "decision_function", "predict_proba", "score_samples"):
            try:
                if hasattr(model, method):
                    getattr(model, method)(rows)
            except Exception as error:
                fault = fault_of_error(error, ())
                if fault:
                    return f"{method}: {fault}"
    return f"did {events}" if events else ""
