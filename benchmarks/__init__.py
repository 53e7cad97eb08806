"""Measurements: ratios within one run, never a test that depends on the clock."""
