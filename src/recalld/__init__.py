"""recalld: recall for agent memory, compatible with the Hindsight API."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("recalld")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0.0.0"
