"""The test suite: a package, so that tests can share the tools under ``fixtures``."""
