"""Recall: which stored facts belong in the caller's context."""
