"""Writes a release as tasks of other evaluation harnesses: their prompts are ours byte for byte, their scores ours too.

Needs no harness to write. What must not change: the names of tasks, by which published results refer to them.
"""
