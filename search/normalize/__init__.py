"""Scores brought to a readable scale. Each keeps the order."""
