"""A small vault that assistants are served in tests."""

VAULT = """
--- Telescope.md
---
tags: [optics]
aliases: [Big Eye]
---
# Telescope

The mirror of the telescope is washed in June.

## Focus

Turn the knob slowly.
--- Garden/Apple.md
# Apple

Apples are picked in October.
"""
