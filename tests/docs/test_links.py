"""No dead link: what README and pages point at is there, or is made by the build from what is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
MADE = ("_build", "api", "gallery")
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    ROOT / "benchmarks" / "README.md",
]
PAGES += [path for path in sorted(DOCS.rglob("*.md")) if path.relative_to(DOCS).parts[0] not in MADE]
LINK = re.compile(
    r"\]\(([^)\s]+)\)|^:link: (\S+)$|^```\{(?:figure|image|literalinclude)\} (\S+)$", re.MULTILINE
)
CODE = re.compile(r"^```(?!\{).*?^```|`[^`\n]+`", re.DOTALL | re.MULTILINE)
#: What the build makes from examples/plot_NAME.py, and from the list of public names.
PICTURE = re.compile(
    r"gallery/images/(?:thumb/)?sphx_glr_(plot_\w+?)_(?:\d{3}|thumb)\.png|gallery/(plot_\w+)(?:\.\w+)?"
)
OF_THE_BUILD = ("gallery/index", "api")


def links(path: Path) -> list[str]:
    """Relative targets of a page, without their anchors."""
    found = ("".join(groups) for groups in LINK.findall(CODE.sub("", path.read_text(encoding="utf-8"))))
    targets = (target.split("#")[0] for target in found if not re.match(r"[a-z]+:", target))
    return [target for target in targets if target]


def is_there(page: Path, target: str) -> bool:
    place = (page.parent / target).resolve()
    if place.exists() or place.with_name(place.name + ".md").exists():
        return True
    if not place.is_relative_to(DOCS):
        return False
    name = place.relative_to(DOCS).as_posix()
    made = PICTURE.fullmatch(name)
    if made:
        return (ROOT / "examples" / f"{made.group(1) or made.group(2)}.py").exists()
    return name.removesuffix(".md").removesuffix(".rst") in OF_THE_BUILD


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_dead_link(page):
    assert [target for target in links(page) if not is_there(page, target)] == []


def test_a_dead_link_is_seen(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "[a](b.md) `[no](link.md)` [far](https://example.org)\n\n```\n[no](link.md)\n```\n", encoding="utf-8"
    )
    assert [target for target in links(page) if not is_there(page, target)] == ["b.md"]
