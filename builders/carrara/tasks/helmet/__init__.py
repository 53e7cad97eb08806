"""HELMET (arXiv:2410.02694): retrieval, reranking and citations over passages of a corpus, up to a million tokens."""
