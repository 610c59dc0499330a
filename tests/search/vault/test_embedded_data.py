"""The data of drawings and base64 is removed in linear time, and the rest of the note can be found."""

import pytest

from search.ids import NoteId
from search.vault.embedded_data import drop_embedded_data
from search.vault.markdown import parse_note

RUN = "A1b2" * 300
WRAPPED = ("Zm9v" * 19 + "\n") * 300


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\n```compressed-json\nN4Ig\n\nxyz\n```\nb", "a\n```compressed-json\n\n\n\n```\nb"),
        ("a\n```compressed-json\nN4Ig, never closed", "a\n```compressed-json\n"),
        ('```json\n{"type": "excalidraw", "x": 1}\n```\n#t', "```json\n\n```\n#t"),
        ('```json\n{"type": "excalidraw2"}\n```', '```json\n{"type": "excalidraw2"}\n```'),
        ("![](data:image/png;base64," + RUN[:100] + ") b", "![](data:image/png;base64,) b"),
        (f"a {RUN} b", "a  b"),
        (f"a\n{WRAPPED}AA==\nb", "a\n" + "\n" * 300 + "\nb"),
        ("https://x.org/" + "a-b/" * 100, "https://x.org/" + "a-b/" * 100),
        ("word " * 5000, "word " * 5000),
    ],
)
def test_embedded_data_is_removed_and_lines_stay(text, left):
    assert drop_embedded_data(text) == (left, len(text) - len(left))
    assert left.count("\n") == text.count("\n")


@pytest.mark.timeout(30)  # a pattern that is not linear takes minutes
@pytest.mark.parametrize("n_before", [0, 1, 500, 1023, 1024, 1500, 5000])
@pytest.mark.parametrize(("n_long", "goes"), [(1023, False), (1024, True), (3000, True)])
def test_a_long_run_of_base64_is_removed_wherever_it_is(n_before, n_long, goes):
    before = "word\n" * (n_before // 5) + "x" * (n_before % 5) + "\n"
    for after in ("", "\n", "\nlast"):
        left, n_dropped = drop_embedded_data(before + "k" * n_long + after)
        assert n_dropped == (n_long if goes else 0)
        assert left == (before + after if goes else before + "k" * n_long + after)


def test_a_drawing_of_30_megabytes_is_parsed_quickly_and_has_a_notice():
    text = "---\ntitle: Plan\n---\n# Oak\n```compressed-json\n" + ("N4Ig" * 64 + "\n\n") * 115_000 + "```\n#tag"
    parsed = parse_note(NoteId("Plan.excalidraw.md"), text)
    assert (parsed.note.title, parsed.note.tags) == ("Plan", ("tag",))
    assert len(parsed.body) < 300_000
    assert [(notice.code, notice.subject) for notice in parsed.notices] == [("machine-block", "Plan.excalidraw.md")]
