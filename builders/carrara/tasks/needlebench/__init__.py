"""NeedleBench (2407.11963v1): retrieval of invented facts from long prose, in English and Chinese."""
