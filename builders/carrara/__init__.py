"""Carrara builds, proves, freezes, publishes and scores long-context benchmark datasets."""

__version__ = "0.1.0"
