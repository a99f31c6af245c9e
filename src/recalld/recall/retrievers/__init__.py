"""Four ways of finding facts, each behind the ``Retriever`` protocol and unaware of the others."""
