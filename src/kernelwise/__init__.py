"""kernelwise chooses the kernel of a support vector machine, its parameters and C."""

__version__ = "0.1.0.dev0"
