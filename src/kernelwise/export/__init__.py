"""Trained machines as scikit-learn pipelines, ONNX graphs and C source files."""
