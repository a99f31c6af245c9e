"""Facts from texts by a language model: what is asked, and how its answers are read."""
