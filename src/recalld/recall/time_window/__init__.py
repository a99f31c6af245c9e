"""Finds the time a query speaks about."""

from recalld.recall.time_window.find import find_window

__all__ = ["find_window"]
