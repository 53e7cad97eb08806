"""HELMET (Yen et al., 2024): retrieval tasks over passages, as the rules of this house want them."""
