"""Rerankers, one file per runtime."""
