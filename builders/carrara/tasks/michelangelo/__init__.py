"""Michelangelo (arXiv:2409.12640): tasks whose latent structure is spread over a long context."""
