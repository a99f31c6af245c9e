"""Durable background work in PostgreSQL: a queue that clients follow, and workers that empty it."""
