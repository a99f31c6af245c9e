"""Neural models and token counting, each runtime behind a small protocol."""
