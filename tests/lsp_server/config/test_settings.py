"""Options, as sent, as settings."""

import pytest

from lsp_server.config.fields import allowed_by
from lsp_server.config.settings import folder_named, resolve


def test_settings_that_are_not_an_object_give_the_defaults():
    assert resolve(5).problems == ("vaultseek: 5 is not an object",)
    assert resolve(None).problems == ()
    assert resolve({"snippets": None}) == resolve({})


@pytest.mark.parametrize("name", ["~nobody-of-that-name/notes", "relative", "http://x/y", "/nul\0"])
def test_a_vault_s_name_must_be_a_path_or_a_uri(name):
    assert folder_named(name) is None


def test_allowed_values_are_read_from_validators():
    from attrs import validators as v  # noqa: PLC0415 only this test needs them

    assert allowed_by(v.and_(v.ge(1), v.le(100))) == "1..100"
    assert allowed_by(v.gt(0)) == "0.."
    assert allowed_by(v.in_(["a", "b"])) == "one of a, b"
    assert allowed_by(None) == "another value"
