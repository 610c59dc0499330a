"""Configured endpoints, as clients send them; shared by the tests of endpoints."""

import json
import socket

import pytest

KEY = "sk-canary-0123456789"
PASSAGE = "Every evening feed the sourdough starter with more flour."
needs_openai = pytest.mark.usefixtures("_openai")


def own(fake, **more):
    """Settings as a client sends them."""
    place = {"baseUrl": fake.base_url, "keyVariable": "MY_KEY"}
    return {"embedding": {**place, "model": "vectors"}, "chat": {**place, "model": "talk"}, **more}


def paths(fake):
    return [asked.path.removeprefix("/v1/") for asked in fake.asked]


def closed_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


async def search(editor, text, **options):
    return await editor.result("vaultseek/search", {"query": text, "options": options})


def found(out):
    """The notes and the codes of notices in an answer of `--json`."""
    answer = json.loads(out)
    return [result["id"] for result in answer["results"]], [notice["code"] for notice in answer["notices"]]
