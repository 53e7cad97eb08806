"""Carrara builds, proves, freezes, publishes and scores long-context benchmark datasets."""

__version__ = "0.2.0"
