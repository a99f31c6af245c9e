"""What a bank holds, for reading and curating: memories, documents, chunks, entities, tags, counts."""
