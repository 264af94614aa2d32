"""Recipes to weights: sources of examples, one loop, one export to ONNX (torch, extra `train`)."""
