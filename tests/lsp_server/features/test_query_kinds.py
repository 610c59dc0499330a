"""Kinds of queries through the whole server: what is found, the notices, and that `explain` agrees."""

import pytest

pytestmark = pytest.mark.asyncio

VAULT = """
--- tagged.md
plain text #red
--- word.md
light energy
--- tar.md
unpack with tar -xvf archive.tgz
--- pitch.md
tar and pitch
--- broken.md
---
title: Plan: two
tags: [garden]
---
--- lost.md
---
tags: [shed
---
"""
QUERIES = [
    ("tag:red OR energy", ["word.md", "tagged.md"], []),
    ("/pl.in/ OR energy", ["word.md", "tagged.md"], []),
    ("tar -xvf", ["tar.md", "pitch.md"], ["read-as-text"]),
    ("tar -archive", ["pitch.md"], ["excluded"]),
    ("energy NOT light AND plain AND text", ["word.md", "tagged.md"], ["query-syntax"]),
    ("tag:garden", ["broken.md"], []),
    ("tag:shed", [], ["unknown-tag", "front-matter-invalid"]),
    ("&", [], ["no-words"]),
    ("tag:a tag:b tag:c", [], ["unknown-tag"]),
]


@pytest.mark.parametrize(("query", "notes", "codes"), QUERIES)
async def test_a_server_answers_as_the_engine_does(reader, tmp_path, query, notes, codes):
    await reader.read(tmp_path, VAULT)
    answer = await reader.result("vaultseek/search", {"query": query})
    assert [result["id"] for result in answer["results"]] == notes
    assert [notice["code"] for notice in answer["notices"]] == codes
    for rank, note in enumerate(notes, start=1):
        reason = await reader.result("vaultseek/explain", {"query": query, "note": note})
        assert reason["rank"] == rank
        assert [notice["code"] for notice in reason["notices"]] == codes
