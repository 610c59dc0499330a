"""The server as a client meets it: asked by the SDK's own client in both eras, as a process and in this process."""

import asyncio
import json
import sys
import threading
from contextlib import asynccontextmanager
from pathlib import Path

import jsonschema
import pytest
from kit.assistants import VAULT
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

from lsp_server.mcp import server
from lsp_server.mcp.catalogue import call
from lsp_server.mcp.server import server_of
from lsp_server.mcp.vaults import ServedVault, Vaults
from search.engine import Engine
from search.errors import VaultseekError
from vaults import write

ROOT = Path(__file__).parents[3]
ERAS = (("auto", "2026-07-28"), ("legacy", "2025-11-25"))


@asynccontextmanager
async def client_of(vault: Path, *, mode: str = "auto"):
    """A client of a server in this process."""
    vaults = Vaults((ServedVault("notes", vault, Engine),))
    try:
        async with Client(server_of(vaults, version="1"), mode=mode) as client:
            yield client
    finally:
        vaults.close()


@asynccontextmanager
async def client_of_process(vault: Path, *options: str, mode: str = "auto"):
    """A client of a server that it has started."""
    environment = {"PYTHONPATH": str(ROOT), "VAULTSEEK_CACHE": str(vault.parent / "cache"), "VAULTSEEK_TEST": "1"}
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "lsp_server", "mcp", "--vault", str(vault), *options], env=environment
    )
    async with Client(command, mode=mode) as client:
        yield client


@pytest.mark.asyncio
@pytest.mark.parametrize(("mode", "era"), ERAS)
async def test_a_client_of_either_era_finds_and_reads_a_note(tmp_path, mode, era):
    async with client_of_process(write(tmp_path / "vault", VAULT), mode=mode) as client:
        assert client.protocol_version == era
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}

        async def ask(name: str, **given: object):
            answer = await client.call_tool(name, given)
            assert not answer.is_error, answer.content
            jsonschema.validate(answer.structured_content, listed[name].output_schema)
            return answer.structured_content, answer.content[0].text

        found, text = await ask("search_notes", query="wash the mirror")
        assert found["results"][0]["path"] == "Telescope.md"
        assert found["results"][0]["line"] == 7
        assert "> The mirror of the telescope is washed in June." in text
        read, text = await ask("read_note", path="big eye", heading="Focus")
        assert read["text"].splitlines() == ["9| ## Focus", "10| ", "11| Turn the knob slowly."]
        assert "11| Turn the knob slowly." in text
        status, _ = await ask("vault_status")
        assert status["notes"] == 2


@pytest.mark.asyncio
async def test_every_tool_is_marked_as_read_only_and_the_list_is_short(tmp_path):
    async with client_of(write(tmp_path / "vault", VAULT)) as client:
        listed = await client.list_tools()
    for tool in listed.tools:
        hints = tool.annotations
        assert hints.read_only_hint
        assert hints.idempotent_hint
        assert not hints.destructive_hint
        assert not hints.open_world_hint
    wire = json.dumps(listed.model_dump(by_alias=True, exclude_none=True, mode="json"), separators=(",", ":"))
    assert len(wire) / 4 <= 1500


@pytest.mark.asyncio
@pytest.mark.parametrize(("mode", "era"), ERAS)
async def test_the_resource_is_a_template_and_the_prompt_asks_for_citations(tmp_path, mode, era):
    async with client_of(write(tmp_path / "vault", VAULT), mode=mode) as client:
        assert client.protocol_version == era
        templates = (await client.list_resource_templates()).resource_templates
        assert [template.uri_template for template in templates] == ["vaultseek://note/{+path}"]
        assert (await client.list_resources()).resources == []
        contents = (await client.read_resource("vaultseek://note/Garden/Apple.md")).contents
        assert "3| Apples are picked in October." in contents[0].text
        with pytest.raises(MCPError, match="there is no note"):
            await client.read_resource("vaultseek://note/Nothing.md")
        with pytest.raises(MCPError, match="uri must begin with vaultseek://note/"):
            await client.read_resource("file:///etc/passwd")
        prompts = (await client.list_prompts()).prompts
        assert [found.name for found in prompts] == ["answer-from-notes"]
        text = (await client.get_prompt("answer-from-notes", {"question": "When?"})).messages[0].content.text
        assert "[path:line]" in text
        assert "When?" in text
        for name, arguments in (("answer", {"question": "When?"}), ("answer-from-notes", {"question": " "})):
            with pytest.raises(MCPError, match=r"answer-from-notes|question"):
                await client.get_prompt(name, arguments)


@pytest.mark.asyncio
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_server_goes_on_after_bad_input(tmp_path, mode):
    async with client_of(write(tmp_path / "vault", VAULT), mode=mode) as client:
        for name, given in (("serch_notes", {"query": "x"}), ("search_notes", {"query": "x" * 100_000})):
            answer = await client.call_tool(name, given)
            assert answer.is_error
            assert "allowed" in answer.content[0].text or "did you mean" in answer.content[0].text
        assert not (await client.call_tool("vault_status", {})).is_error


@pytest.mark.asyncio
async def test_a_call_that_a_client_cancels_is_told_so_and_not_waited_for(tmp_path):
    started, release, budgets = threading.Event(), threading.Event(), []

    def open_engine(_root: Path) -> Engine:
        started.set()
        release.wait()
        raise VaultseekError("too late")

    def call_and_note(vaults, name, given, budget):
        budgets.append(budget)
        return call(vaults, name, given, budget)

    vaults = Vaults((ServedVault("notes", tmp_path, open_engine),))
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(server, "call", call_and_note)
            async with Client(server_of(vaults, version="1"), mode="legacy") as client:
                asking = asyncio.create_task(client.call_tool("vault_status", {}))
                await asyncio.to_thread(started.wait)
                asking.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await asking
                await client.list_tools()  # comes after the cancellation
                assert [budget.is_cancelled() for budget in budgets] == [True]
    finally:
        release.set()
        vaults.close()
