"""Looking: listing, text search, finding paths."""
