"""Raw JSON as typed messages."""

import socket

import pytest

from lsp_server.wire.decode import first_problem, structure
from search.errors import ConfigError


def test_a_field_whose_type_has_no_json_form_is_refused():
    with pytest.raises(ConfigError, match="cannot be set"):
        structure(socket.socket, 5, "")


def test_an_unexpected_error_keeps_its_path_but_not_its_message():
    assert str(first_problem(RuntimeError("for loop"), "params")) == (
        "params: null is not allowed; allowed is what the protocol says"
    )
