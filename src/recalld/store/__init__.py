"""All SQL: tables, the conditions they share, one module per question and per write."""
