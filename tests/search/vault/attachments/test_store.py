"""Texts are kept by content; damage is absence, and a folder that cannot be written costs only time."""

import os

import pytest

from search.vault.attachments import store as store_module
from search.vault.attachments.store import TextStore


def test_a_text_is_there_for_the_next_process(tmp_path):
    TextStore(tmp_path / "a").put("pdf_1", "öak 𝄞")
    assert TextStore(tmp_path / "a").get("pdf_1") == "öak 𝄞"
    assert TextStore(tmp_path / "a").get("pdf_2") is None
    assert TextStore(None).get("pdf_1") is None


def test_a_text_that_may_be_another_next_time_is_kept_in_memory_only(tmp_path):
    first = TextStore(tmp_path)
    first.put("pdf_1", "oak", is_final=False)
    assert (first.get("pdf_1"), TextStore(tmp_path).get("pdf_1")) == ("oak", None)


def test_any_damage_is_absence(tmp_path):
    TextStore(tmp_path).put("pdf_1", "oak" * 50)
    whole = (tmp_path / "pdf_1").read_bytes()
    for at in range(len(whole)):
        (tmp_path / "pdf_1").write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert TextStore(tmp_path).get("pdf_1") in {None, "oak" * 50}
        (tmp_path / "pdf_1").write_bytes(whole[:at])
        assert TextStore(tmp_path).get("pdf_1") is None


def test_the_text_of_one_content_is_not_taken_for_that_of_another(tmp_path):
    TextStore(tmp_path).put("pdf_1", "oak")
    (tmp_path / "pdf_1").rename(tmp_path / "pdf_2")
    assert TextStore(tmp_path).get("pdf_2") is None


def test_what_cannot_be_written_is_kept_in_memory(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    store = TextStore(tmp_path / "file")
    store.put("pdf_1", "oak")
    assert store.get("pdf_1") == "oak"
    assert store.problem


@pytest.mark.parametrize("name", ["../pdf_1", "a/b", "", "."])
def test_a_content_is_no_path(tmp_path, name):
    assert TextStore(tmp_path / "a").get(name) is None


def test_of_texts_that_no_file_has_the_newest_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(store_module, "N_SPARE", 2)
    store = TextStore(tmp_path)
    for number in range(6):
        store.put(f"pdf_{number}", "oak")
        os.utime(tmp_path / f"pdf_{number}", (number, number))
    store.prune({"pdf_0"})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pdf_0", "pdf_4", "pdf_5"]


def test_a_folder_that_is_only_read_does_not_change(tmp_path):
    TextStore(tmp_path).put("pdf_1", "oak")
    reading = TextStore(tmp_path, keeps=False)
    reading.put("pdf_2", "elm")
    reading.prune(())
    assert (reading.get("pdf_1"), reading.get("pdf_2")) == ("oak", "elm")
    assert [path.name for path in tmp_path.iterdir()] == ["pdf_1"]
