"""Retrieval: encoders, indexes, search, and the frozen runs that rows of retrieved passages are made from."""
