"""What is tried: kernels, widths, values of C, metrics and forms."""
