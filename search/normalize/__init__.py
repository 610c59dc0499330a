"""Normalizers: bring scores to a readable scale. Each of them keeps the order."""
