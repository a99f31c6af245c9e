"""Reads, one module per question."""
