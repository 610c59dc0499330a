"""Marks for tests of what only some operating systems have."""

import os
import socket

import pytest

needs_named_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
needs_unix_sockets = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no Unix sockets here")
