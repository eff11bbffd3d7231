"""Whatever a page of the documentation imports, a user can install with kernelwise or one of its extras."""

from __future__ import annotations

import re
import sys
import tomllib

import pytest

from .test_pages import DOCS, PAGES, blocks

#: Extras of those who work on the project: the peers of its benchmarks.
OURS = ("bench",)
PACKAGES = {"sklearn": "scikit-learn"}
IMPORT = re.compile(r"^(?:>>> |\.\.\. )?\s*(?:import|from) (\w+)", re.MULTILINE)


def installable():
    """Names of packages that come with kernelwise or an extra for users."""
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(one for name in extras if name not in OURS for one in extras[name])]
    return {re.match(r"[\w-]+", one)[0] for one in wanted}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(DOCS)))
def test_what_a_page_imports_can_be_installed(path):
    source = "\n".join(code for _, code in blocks(path.read_text(encoding="utf-8")))
    found = {name for name in IMPORT.findall(source) if name not in sys.stdlib_module_names}
    found |= {"pandas"} if "as_frame=True" in source else set()
    assert {PACKAGES.get(name, name) for name in found} - {"kernelwise"} <= installable()
