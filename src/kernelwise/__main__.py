"""``python -m kernelwise`` is the command ``kernelwise``."""

import sys

from kernelwise.cli.app import main

if __name__ == "__main__":
    sys.exit(main())
