"""Retain: texts become documents, chunks and facts."""
