"""Marks for tests of what only some operating systems have."""

import os

import pytest

needs_named_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
