"""Embedders, one module per runtime."""
