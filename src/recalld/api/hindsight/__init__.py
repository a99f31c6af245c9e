"""The Hindsight dialect."""
