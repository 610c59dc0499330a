"""Notices for a model: few, short, and none that concerns only the user's machine."""

from lsp_server.mcp.notices import sentences
from search.notice import Notice, NoticeKind


def notice(message: str, code: str = "typo") -> Notice:
    return Notice(NoticeKind.NOTE, code, message)


def test_only_three_are_told_and_the_others_are_counted():
    told = sentences(notice(f"Notice {number}.") for number in range(5))
    assert told == ["Notice 0.", "Notice 1.", "Notice 2.", "2 more notices."]


def test_a_long_one_is_cut_and_control_characters_are_escaped():
    (told,) = sentences([notice("a\nb\x1b" + "c" * 500)])
    assert told.startswith("a b\\x1bccc")
    assert len(told) == 160


def test_a_store_that_another_client_writes_is_no_news():
    assert sentences([notice("/home/me/.cache: locked", "store-locked")]) == []


def test_no_message_names_a_folder_of_the_computer():
    codes = ("empty-vault", "words-unusable")
    told = sentences(notice("There is nothing in /home/me/notes.", code) for code in codes)
    assert len(told) == 2
    assert "/home" not in " ".join(told)
