"""Exports a release as tasks of other evaluation harnesses, with the same prompts, byte for byte, and the same scores.

Exporting needs no harness installed. The names of tasks must not change: published results refer to them.
"""
