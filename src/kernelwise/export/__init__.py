"""Trained machines as scikit-learn pipelines, and so as ONNX."""
