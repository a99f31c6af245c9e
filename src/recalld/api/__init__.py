"""The HTTP face: two dialects over the same services."""
