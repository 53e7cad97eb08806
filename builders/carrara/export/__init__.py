"""Exports: task definitions that run a release unchanged in the harnesses people already use."""
