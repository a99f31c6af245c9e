"""Writes, one module per thing written."""
