"""Finds the time a query speaks about."""

from recalld.recall.time_window.find import find_window, might_be_dated

__all__ = ["find_window", "might_be_dated"]
