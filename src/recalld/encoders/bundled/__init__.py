"""Files of the bundled encoder: all-MiniLM-L6-v2 as int8 ONNX, made by scripts/export_encoder.py."""
