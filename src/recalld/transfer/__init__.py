"""Archives: a bank's memories as a ZIP of JSON, written and read the way Hindsight 1.1.0 does."""
