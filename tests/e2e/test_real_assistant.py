"""A real, very small model answers ten questions through the tools of `vaultseek mcp`, and each citation is checked.

The model has 135 million parameters. Its server holds it to JSON schemas, as clients do that need tool calls: to the
tool's own schema for the call, and to the lines that it was shown for the citation. Its answers make little sense, but
its queries find the notes, and what the tools quote is in the notes under the citation that they give.
"""

import json
import sys
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.kit.real_models import needs_chat, serve_chat

pytestmark = [*needs_chat, pytest.mark.slow, pytest.mark.timeout(900)]

ROOT = Path(__file__).parents[2]
HANDBOOK = ROOT / "vault_fixtures" / "handbook"
QUESTIONS = {  # and the notes that answer them
    "How is the mirror washed?": ("Mirror washing", "Spiegelpflege", "Osgood reflector"),
    "Who insures the dome?": ("Insurance",),
    "When is Jiří not available?": ("Jiří Dvořák",),
    "How is the telescope collimated?": ("Collimation", "Osgood reflector"),
    "What is the programme for cloudy nights?": ("Cloudy night programme", "Public night"),
    "What is the buddy rule?": ("Lone working",),
    "Where are the keys?": ("Keys",),
    "What are the rules about red light?": ("Red light", "House rules"),
    "What must we do in a thunderstorm?": ("Lightning",),
    "How is the dome opened?": ("Opening up", "Public night", "Dome automation"),
}
N_RIGHT = 7  # of ten queries that the model writes, whose first note answers


def complete(address: str, prompt: str, schema: dict[str, Any], *, max_tokens: int) -> Any:
    """What the model says, held to a schema."""
    body = {
        "model": "smollm2",
        "messages": [{"role": "user", "content": prompt}],
        "max_tokens": max_tokens,
        "temperature": 0,
        "response_format": {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}},
    }
    headers = {"Content-Type": "application/json"}
    with urlopen(Request(f"{address}/chat/completions", json.dumps(body).encode(), headers)) as reply:  # noqa: S310 - our own server
        return json.loads(json.load(reply)["choices"][0]["message"]["content"])


def as_object(**properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


@pytest.mark.asyncio
async def test_ten_questions_are_answered_with_citations_that_hold(tmp_path):
    from mcp import Client  # noqa: PLC0415 - the module is read also where the extra is not installed
    from mcp.client.stdio import StdioServerParameters  # noqa: PLC0415 - likewise

    environment = {"PYTHONPATH": str(ROOT), "VAULTSEEK_CACHE": str(tmp_path)}
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "lsp_server", "mcp", "--vault", str(HANDBOOK)], env=environment
    )
    n_right = 0
    with serve_chat() as address:
        async with Client(command) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            search = tools["search_notes"]
            query = {**search.input_schema["properties"]["query"], "maxLength": 60}

            async def call(name: str, given: dict[str, object]) -> Any:
                answer = await client.call_tool(name, given)
                assert not answer.is_error, answer.content
                return answer

            for question, right in QUESTIONS.items():
                asked = f"{search.description}\n\nThe user asks: {question}"
                given = complete(address, asked, as_object(query=query), max_tokens=200)
                found = (await call("search_notes", given)).structured_content
                best = found["results"][0]["path"]
                n_right += Path(best).stem in right

                shown = await call("read_note", {"path": best, "max_tokens": 300})
                lines = dict(line.split("| ", 1) for line in shown.structured_content["text"].split("\n"))
                sources = [f"{best}:{number}" for number, line in lines.items() if line.strip()]
                asked = f"{shown.content[0].text}\n\nQuestion: {question}\nAnswer in one sentence, with its source."
                reply = as_object(answer={"type": "string", "maxLength": 120}, source={"enum": sources})
                said = complete(address, asked, reply, max_tokens=400)
                assert said["answer"].strip()
                await holds(call, said["source"], lines[said["source"].rpartition(":")[2]])
                print(f"{question} {given} -> {said}")

                context = await call("build_context", {"question": question, "max_tokens": 1000})
                for passage in context.structured_content["passages"]:
                    source = f"{passage['path']}:{passage['lines'].partition('-')[0]}"
                    await holds(call, source, passage["text"].split("\n")[0])
    assert n_right >= N_RIGHT


async def holds(call, source: str, quoted: str) -> None:
    """Check that a citation leads to a line with the quoted text."""
    path, _, line = source.rpartition(":")
    read = (await call("read_note", {"path": path, "lines": line})).structured_content
    assert read["path"] == path
    assert read["text"].startswith(f"{line}| ")
    assert quoted in read["text"]
