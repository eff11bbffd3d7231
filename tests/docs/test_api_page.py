"""The API page lists every public name, and nothing that is not there."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "api.rst"
PACKAGES = ("", ".kernels", ".criteria", ".optimizers", ".solvers", ".selection", ".datasets", ".testing")
PACKAGES += (".reports", ".diagnostics", ".estimators", ".explanation")


def listed() -> dict[str, Any]:
    """Objects that the page lists, by full name."""
    module, found, is_in_list = "", {}, False
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith(".. currentmodule::"):
            module = line.split("::")[1].strip()
        elif line and not line.startswith("   "):
            is_in_list = line.startswith(".. autosummary::")
        elif is_in_list and line.strip() and not line.strip().startswith(":"):
            home, _, name = f"{module}.{line.strip()}".rpartition(".")
            found[f"{home}.{name}"] = getattr(import_module(home), name)
    return found


LISTED = listed()


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_listed(package):
    module = import_module(f"kernelwise{package}")
    public = {name: getattr(module, name) for name in module.__all__}
    shown = list(map(id, LISTED.values()))
    assert [name for name, value in public.items() if callable(value) and id(value) not in shown] == []


def test_measures_are_listed():
    assert {"kernelwise.metrics.esdr", "kernelwise.metrics.kernel_target_alignment"} <= set(LISTED)


def test_no_name_is_listed_twice():
    assert len(LISTED) == len(set(map(id, LISTED.values())))
