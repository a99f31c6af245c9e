"""past.dev's recall API: a second front door to the same core."""
