"""Texts to vectors: int8 ONNX, an expert of one trunk for each skill, and deterministic stand-ins."""
