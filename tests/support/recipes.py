"""A recipe of two cells."""

import tomllib

TEXT = """#!/usr/bin/env -S carrara build
# A comment.
name = "small"
version = "1.2.3"
title = "Small"
stream = "small/1"
tokenizer = "o200k_base"
buckets = { 4k = 4096, 32k = 32768 }

[[cell]]
task = "single_needle"
variants = ["en", "zh"]
questions = { 4k = 3, 32k = 2 }
lengths = "grid"
params = { depths = 5, question = "before" }

[[cell]]
task = "latent_list"
questions = 7
"""


def table(**changes) -> dict:
    return {**tomllib.loads(TEXT), **changes}
