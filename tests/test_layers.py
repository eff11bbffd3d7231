"""The rooms of the house are layers: a module imports what is below it, never what is above."""

from __future__ import annotations

import ast
import shutil
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).parents[1] / "src" / "kernelwise"
#: From the ground up. Rooms in one row do not know of each other.
LAYERS = (
    ("exceptions", "_native"),
    ("_core",),
    ("findings",),
    ("tables", "kernels"),
    ("datasets", "multiclass", "conformal"),
    ("solvers",),
    ("criteria",),
    ("metrics", "result", "sketch", "large"),
    ("problem",),
    ("space",),
    ("optimizers",),
    ("testing", "search"),
    ("export",),
    ("estimators", "distributed"),
    ("persistence", "diagnostics", "tuning", "explanation"),
    ("selection",),
    ("reports",),
    ("comparison",),
    ("studies", "demo", "app"),
    ("cli",),
)
#: The compiled module, of which there is no Python source.
NATIVE = "kernelwise._native"
LEVEL = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}
#: What an import inside a function may reach: `report` and `save` of an estimator, and all that is on dask.
LAZILY = {"estimators": {"reports", "persistence"}}
LAZY_ROOMS = {"distributed"}
#: The rooms of search, from the ground up; a room imports what is before it.
SEARCH = (
    *("wording", "data", "scoring", "settings", "engine", "result", "propose", "families", "verdict"),
    *("choose", "table", "final", "fit"),
)
#: Names that estimators take from search, at most, all of them from its ``__init__``.
MOST_FROM_SEARCH = 30
#: Rooms whose tests still import what is not public of other rooms: in one test at least, each.
NOT_YET_IN_TESTS = {
    *("distributed", "estimators", "search"),
}
#: Rooms of tests that have another name than theirs.
ROOM_OF_TESTS = {"core": "_core", "native": "_native"}
#: Base classes that stand for a question any kernel answers.
KERNEL_ROLES = {"Kernel"}


class Import(NamedTuple):
    """One name that a module imports."""

    module: str
    target: str
    name: str
    is_lazy: bool
    line: int

    def __str__(self) -> str:
        return f"{self.module}:{self.line} imports {self.name} of {self.target}"


def room(module: str) -> str:
    """The room of a module, such as "search" of "kernelwise.search.propose.climb"."""
    return module.split(".")[1] if "." in module else ""


@cache
def modules(source: Path) -> dict[str, ast.Module]:
    """Every module of a package by its full name."""
    found = {}
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text())
    return found


def imports(source: Path) -> list[Import]:
    """Every name of the package that a module of it imports, from the package itself."""
    trees = modules(source)
    found = []
    for module, tree in trees.items():
        at_top = {id(node) for node in _outside_functions(tree)}
        for node in ast.walk(tree):
            if not isinstance(node, ast.ImportFrom):
                continue
            assert node.level == 0, f"{module}:{node.lineno} imports relatively"
            if not (node.module or "").startswith("kernelwise"):
                continue
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                target = whole if whole in trees or whole == NATIVE else str(node.module)
                found.append(Import(module, target, alias.name, id(node) not in at_top, node.lineno))
    return found


def _outside_functions(tree: ast.AST) -> list[ast.AST]:
    found: list[ast.AST] = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        # What only a type checker reads is never imported.
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        found += [node, *_outside_functions(node)]
    return found


def is_upward(one: Import) -> bool:
    """Whether an import goes to a room that is not below its own."""
    here, there = room(one.module), room(one.target)
    if not here or not there or here == there or here == "__main__":
        return False
    if one.is_lazy and (there in LAZY_ROOMS or there in LAZILY.get(here, ())):
        return False
    return LEVEL[there] >= LEVEL[here] or there in LAZY_ROOMS


def is_upward_in_search(one: Import) -> bool:
    """Whether an import inside search goes to a room of it that is not before its own."""
    if one.is_lazy or not room(one.module) == room(one.target) == "search" or one.module.count(".") == 1:
        return False
    here, there = (module.split(".")[2:3] for module in (one.module, one.target))
    return here != there and SEARCH.index(*there) > SEARCH.index(*here)


def is_private(one: Import) -> bool:
    """Whether an import takes a private name from another room."""
    if room(one.module) == room(one.target):
        return False
    parts = [*one.target.split(".")[1:], one.name]
    return any(part.startswith("_") and part not in ("_core", "_native", "__version__") for part in parts)


def kernel_checks(source: Path) -> list[str]:
    """Places outside kernels/ that ask for the class of a kernel."""
    trees = modules(source)
    found = []
    for module, tree in trees.items():
        if room(module) == "kernels":
            continue
        concrete = {
            one.name
            for one in ALL
            if one.module == module and room(one.target) == "kernels" and one.name not in KERNEL_ROLES
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
                names = {part.id for part in ast.walk(node.args[1]) if isinstance(part, ast.Name)}
                if names & concrete:
                    found.append(f"{module}:{node.lineno} asks whether a kernel is a {min(names & concrete)}")
    return found


def is_public(target: str, name: str) -> bool:
    """Whether a name is for everybody: a room, in ``__all__`` of one, or in one of one file without it."""
    parts = target.split(".")
    if target == "kernelwise" and name in LEVEL:
        return not name.startswith("_")
    if len(parts) > 2 or any(part.startswith("_") for part in parts[1:]):
        return False
    room_itself = import_module(target)
    is_file = not hasattr(room_itself, "__path__")
    names = getattr(room_itself, "__all__", dir(room_itself) if is_file else ())
    return name in ("__version__", "__doc__", "__all__") or (name in names and not name.startswith("_"))


def foreign_imports(tests: Path) -> list[Import]:
    """What tests import of rooms that are not theirs, and is not public; ``module`` is the room.

    A room that is imported as a whole lends no more than its public names: what is asked of it counts, too.
    """
    found = []
    for path in sorted(tests.rglob("*.py")):
        first, *rest = path.relative_to(tests).parts
        own = first if rest else path.stem.removeprefix("test_")
        own = ROOM_OF_TESTS.get(own, own)
        nodes = list(ast.walk(ast.parse(path.read_text())))
        rooms: dict[str, str] = {}
        taken = []
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("kernelwise"):
                taken += [(str(node.module), alias.name, node.lineno) for alias in node.names]
                if node.module == "kernelwise":
                    names = {alias.asname or alias.name: alias.name for alias in node.names}
                    rooms |= {name: f"kernelwise.{one}" for name, one in names.items() if one in LEVEL}
        for node in nodes:
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id in rooms
            ):
                taken.append((rooms[node.value.id], node.attr, node.lineno))
        found += [
            Import(own, target, name, False, line)
            for target, name, line in taken
            if room(f"{target}.{name}") != own and not is_public(target, name)
        ]
    return found


ALL = imports(SOURCE)


def test_every_room_has_a_layer():
    assert {room(name) for name in [*modules(SOURCE), NATIVE]} - {"", "__main__"} == set(LEVEL)


def test_no_upward_import():
    assert [str(one) for one in ALL if is_upward(one)] == []


def test_no_upward_import_in_search():
    assert [str(one) for one in ALL if is_upward_in_search(one)] == []


def test_estimators_know_the_search_by_a_few_names():
    taken = [one for one in ALL if room(one.module) == "estimators" and room(one.target) == "search"]
    assert [str(one) for one in taken if one.target != "kernelwise.search"] == []
    assert len({one.name for one in taken}) <= MOST_FROM_SEARCH
    assert {one.name for one in taken} == set(import_module("kernelwise.search").__all__)


def test_every_file_of_search_is_in_the_map_of_its_room():
    for folder in {path.parent for path in (SOURCE / "search").rglob("*.py")}:
        text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text()))
        files = {path.name for path in folder.glob("*.py")} - {"__init__.py"}
        assert {name for name in files if f"{name} " not in text} == set(), folder.name


def test_no_private_name_of_another_room():
    assert [str(one) for one in ALL if is_private(one)] == []


def test_a_test_imports_public_names_of_other_rooms():
    foreign = foreign_imports(Path(__file__).parent)
    assert [str(one) for one in foreign if one.module not in NOT_YET_IN_TESTS] == []
    assert {one.module for one in foreign} == NOT_YET_IN_TESTS


def test_a_planted_foreign_import_is_seen(tmp_path):
    (tmp_path / "cli").mkdir()
    (tmp_path / "cli" / "test_a.py").write_text(
        "from kernelwise.cli.app import main\nfrom kernelwise.tables import Table\n"
        "from kernelwise.tables.table import Table\nfrom kernelwise import TunedSVC, __version__\n"
    )
    (tmp_path / "test_tables.py").write_text("from kernelwise.tables.table import Table\n")
    (tmp_path / "test_b.py").write_text(
        "from kernelwise import tables, criteria as c\n"
        "assert tables.Table and c.ESDR and c.__doc__\nassert c.machine and tables._fits\n"
    )
    found = [(one.module, one.line, one.name) for one in foreign_imports(tmp_path)]
    assert found == [("cli", 3, "Table"), ("b", 3, "machine"), ("b", 3, "_fits")]


def test_nobody_outside_kernels_asks_for_the_class_of_a_kernel():
    assert kernel_checks(SOURCE) == []


def test_optimizers_know_no_concrete_kernel():
    known = {one.name for one in ALL if room(one.module) == "optimizers" and room(one.target) == "kernels"}
    assert known <= {"Kernel", "MetricKernel"}


def test_a_planted_upward_import_is_seen(tmp_path):
    planted = {
        "solvers": "from kernelwise.search.propose.climb import STEP",
        "search": "from kernelwise.estimators import SVC",
        "kernels": "def late():\n    from kernelwise.criteria import ESDR\n    return ESDR",
        "reports": "from kernelwise.distributed.chunks import computed",
    }
    copy = tmp_path / "kernelwise"
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for where, statement in planted.items():
        (copy / where / "planted.py").write_text(f'"""Planted."""\n\n{statement}\n')
    (copy / "search" / "data" / "planted.py").write_text("from kernelwise.search.propose.climb import STEP\n")
    found = imports(copy)
    seen = sorted(one.module for one in found if is_upward(one))
    assert seen == sorted(f"kernelwise.{where}.planted" for where in planted)
    inside = {one.module for one in found if is_upward_in_search(one)}
    assert inside == {"kernelwise.search.data.planted"}
