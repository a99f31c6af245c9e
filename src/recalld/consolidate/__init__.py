"""Consolidation: statements made more than once become observations that rest on them."""
