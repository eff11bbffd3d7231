"""``kernelwise diagnose``: what to know about a file before a kernel is chosen."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from kernelwise.cli import options
from kernelwise.cli.output import print_json

Kernel = Annotated[str, typer.Option(metavar="NAME", help="The kernel to be used.")]


def diagnose(
    file: options.File,
    target: options.Target = None,
    kernel: Kernel = "rbf",
    seed: options.Seed = 0,
    header: options.HasHeader = None,
    impute: options.Impute = False,
    ignore: options.Ignore = None,
    missing: options.Missing = None,
    lump: options.Lump = False,
    json: options.Json = False,
) -> None:
    """Look for what is wrong with a file, before tuning.

    Duplicates, conflicting labels, constant and badly scaled features, small classes, the closest pair of
    samples, a criterion without a peak, the cost of a fit.

    \b
    Example: kernelwise diagnose train.csv --target class
    """
    import kernelwise
    from kernelwise.cli.samples import read_samples

    data = read_samples(file, target, header, impute, ignore, missing=missing, lump=lump)
    findings = kernelwise.diagnose(
        data.X, data.y, kernel=kernel, random_state=seed, feature_names=data.encoding.feature_names
    )
    if not json:
        print(findings)
        return
    print_json(
        {
            "command": "diagnose",
            "version": kernelwise.__version__,
            "data": data.describe(file),
            "findings": [asdict(finding) for finding in findings],
        }
    )
