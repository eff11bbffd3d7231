"""Memory: how much a fit may take, and what a large array needs, refused with the figure if there is less."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any

import numpy as np

from kernelwise.exceptions import NotEnoughMemoryError

MIB = 2**20
#: MiB that a fit or a prediction may take beside its data, unless told otherwise. It is the same on all
#: computers, because it may decide how many rows a search looks at.
MEMORY_LIMIT = 2048
#: Share of such a limit that is for square matrices. The rest is for all else.
FOR_MATRICES = 0.85
#: Bytes that are not worth a look at what the system has.
SMALL = 64 * MIB
#: Share of the available memory that one request may take: something else grows meanwhile.
SHARE = 0.9
MEMINFO = Path("/proc/meminfo")
#: The control groups of this process: what a container or a job may have, whatever the machine has.
GROUPS = Path("/proc/self/cgroup")
ROOT = Path("/sys/fs/cgroup")


def check_memory(n_bytes: float, what: str, advice: str) -> None:
    """Raise if so many bytes are not to be had.

    ``what`` needs them, as the subject of a sentence; ``advice`` is a sentence about what to do instead.
    """
    if n_bytes > SMALL and n_bytes > usable_memory():
        raise NotEnoughMemoryError(
            f"{what} would need {amount(n_bytes)}, and {amount(available_memory())} of memory are "
            f"available. {advice}"
        )


def check_gram_memory(
    n_matrices: float, n_rows: int, n_columns: int | None = None, itemsize: int = 8
) -> None:
    """Raise if so many matrices of kernel values are not to be had; square ones if ``n_columns`` is None."""
    m = n_rows if n_columns is None else n_columns
    each = "A matrix" if n_matrices == 1 else f"{n_matrices:g} matrices"
    check_memory(
        n_matrices * n_rows * m * itemsize,
        f"{each} of {n_rows} × {m} kernel values",
        "Use fewer samples or threads, or a method that needs no such matrix: DistanceSketch, TunedSVC or "
        "NystroemSVC.",
    )


def matrices_within(memory_limit: float, n_rows: int, itemsize: int = 8) -> float:
    """Square matrices of so many rows that a search may hold at once, if its limit is in MiB."""
    return FOR_MATRICES * memory_limit * MIB / (itemsize * n_rows**2)


def rows_within(memory_limit: float, n_matrices: float, itemsize: int = 8) -> int:
    """Rows of which it may hold so many square matrices at once."""
    return int(np.sqrt(FOR_MATRICES * memory_limit * MIB / (itemsize * n_matrices)))


def usable_memory() -> float:
    """Bytes that one array may take."""
    return SHARE * available_memory()


def available_memory() -> float:
    """Bytes that can be had without swapping; infinity where the system does not say."""
    return min(_of_machine(), _of_groups())


def amount(n_bytes: float) -> str:
    """Bytes for people."""
    return f"{n_bytes / 2**30:.3g} GiB" if n_bytes >= 2**30 else f"{n_bytes / MIB:.3g} MiB"


def give_back() -> None:
    """Give the system the memory that arrays have left: the C library of Linux keeps those below 32 MiB."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None
    if trim is not None:
        trim(0)


def _of_machine() -> float:
    if MEMINFO.exists():
        fields = dict(line.split(":") for line in MEMINFO.read_text().splitlines())
        if "MemAvailable" in fields:
            return 1024.0 * int(fields["MemAvailable"].split()[0])
    # macOS says only what there is at all, which is a bound, too.
    for name in ("SC_AVPHYS_PAGES", "SC_PHYS_PAGES"):
        if name in getattr(os, "sysconf_names", {}):
            return float(os.sysconf(name)) * os.sysconf("SC_PAGE_SIZE")
    return _of_windows(getattr(ctypes, "windll", None))


class MemoryStatus(ctypes.Structure):
    """What Windows calls MEMORYSTATUSEX."""

    _fields_ = (
        ("length", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        ("total", ctypes.c_uint64),
        ("available", ctypes.c_uint64),
        ("others", ctypes.c_uint64 * 5),
    )


def _of_windows(libraries: Any) -> float:
    """What Windows has left; ``libraries`` is `ctypes.windll`, or None on other systems."""
    status = MemoryStatus(length=ctypes.sizeof(MemoryStatus))
    if libraries is None or not libraries.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        return float("inf")
    return float(status.available)


def _of_groups() -> float:
    """What the groups of this process, and the groups that they are in, have left."""
    if not GROUPS.exists():
        return float("inf")
    left = [float("inf")]
    for line in GROUPS.read_text().splitlines():
        _, controllers, name = line.split(":", 2)
        # A container may see its own group as the root, and its name as the host has it: parents that are
        # not there are passed over.
        group = Path(name.lstrip("/"))
        for above in (group, *group.parents):
            if not controllers:  # version 2
                left.append(_of_group(ROOT / above, "memory.max", "memory.current", ""))
            elif "memory" in controllers.split(","):
                folder = ROOT / "memory" / above
                left.append(_of_group(folder, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_"))
    return min(left)


def _of_group(folder: Path, limit: str, usage: str, prefix: str) -> float:
    """What a group has left; the files of version 1 of control groups have other names and a prefix."""
    if not (folder / limit).exists() or (folder / limit).read_text().strip() == "max":
        return float("inf")
    stat = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
    cached = int(stat[f"{prefix}inactive_file"]) + int(stat[f"{prefix}active_file"])  # given back when needed
    return float(int((folder / limit).read_text()) - int((folder / usage).read_text()) + cached)
