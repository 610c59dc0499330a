"""Raw JSON as typed messages."""

import socket

import pytest

from lsp_server.wire.decode import first_problem, structure_field
from search.errors import ConfigError


def test_a_field_of_a_type_that_no_json_has_is_refused():
    with pytest.raises(ConfigError, match="cannot be set"):
        structure_field(socket.socket, 5)


def test_the_way_to_an_unforeseen_problem_is_kept_and_its_words_are_not():
    assert str(first_problem(RuntimeError("for loop"), "params")) == (
        "params: null is not allowed; allowed is what the protocol says"
    )
