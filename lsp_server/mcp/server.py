"""Serves the protocol over standard input and output with the official SDK, which no other module imports.

It uses the SDK's low-level server: the high-level one derives schemas from Python types, and they are three times as
long. Calls run in threads, so that a long one delays no other. A cancelled call is abandoned, and its budget stops it.
"""

import os
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import anyio
import mcp_types as types
from anyio.to_thread import run_sync
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from lsp_server.mcp import prompt, resource
from lsp_server.mcp.catalogue import TOOLS, Refusal, call, schema_of
from lsp_server.mcp.quoting import cut
from lsp_server.mcp.tool import Tool
from lsp_server.mcp.vaults import Vaults
from search.budget import Budget

T = TypeVar("T")
_N_THREADS = 4  # calls at the same time; more would only share the same cores
_GRACE_S = 0.5  # for closing the stores after the client has gone
_MAX_QUESTION = 4000  # characters; the prompt cuts a longer question


class _Handlers:
    """A handler for each request of the protocol."""

    def __init__(self, vaults: Vaults) -> None:
        self._vaults = vaults
        self._limiter = anyio.CapacityLimiter(_N_THREADS)

    async def list_tools(self, _ctx: object, _params: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_listed(tool, self._vaults) for tool in TOOLS])

    async def call_tool(self, _ctx: object, params: types.CallToolRequestParams) -> types.CallToolResult:
        given: Mapping[str, object] = params.arguments or {}
        answer = await self._in_thread(lambda budget: call(self._vaults, params.name, given, budget))
        if isinstance(answer, Refusal):
            return types.CallToolResult(content=[_text(answer.sentence)], is_error=True)
        return types.CallToolResult(content=[_text(answer.text)], structured_content=dict(answer.data))

    async def list_resources(self, _ctx: object, _params: object) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[])  # a server with templates must have this method

    async def list_templates(self, _ctx: object, _params: object) -> types.ListResourceTemplatesResult:
        template = types.ResourceTemplate(
            name="note",
            title="A note by its path",
            uri_template=resource.TEMPLATE,
            description="The text of a note, with line numbers.",
            mime_type="text/plain",
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(self, _ctx: object, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        found = await self._in_thread(lambda budget: resource.read(self._vaults, str(params.uri), budget))
        if isinstance(found, Refusal):
            raise MCPError(types.INVALID_PARAMS, found.sentence)
        content = types.TextResourceContents(uri=params.uri, mime_type="text/plain", text=found)
        return types.ReadResourceResult(contents=[content])

    async def list_prompts(self, _ctx: object, _params: object) -> types.ListPromptsResult:
        question = types.PromptArgument(name=prompt.QUESTION, description="what you want to know", required=True)
        listed = types.Prompt(
            name=prompt.NAME, title=prompt.TITLE, description=prompt.DESCRIPTION, arguments=[question]
        )
        return types.ListPromptsResult(prompts=[listed])

    async def get_prompt(self, _ctx: object, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        if params.name != prompt.NAME:
            raise MCPError(types.INVALID_PARAMS, f"there is no such prompt; allowed is {prompt.NAME}")
        question = (params.arguments or {}).get(prompt.QUESTION, "")
        if not question.strip():
            raise MCPError(types.INVALID_PARAMS, f"the argument {prompt.QUESTION} is missing: what you want to know")
        text = _text(prompt.answer_from_notes(cut(question, _MAX_QUESTION)))
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=text)])

    async def _in_thread(self, work: Callable[[Budget], T]) -> T:
        cancelled = threading.Event()
        try:
            budget = Budget(is_cancelled=cancelled.is_set)
            return await run_sync(work, budget, abandon_on_cancel=True, limiter=self._limiter)
        finally:
            cancelled.set()


def server_of(vaults: Vaults, *, version: str) -> Server[Any]:
    """The server, not yet running."""
    handlers = _Handlers(vaults)
    return Server(
        "vaultseek",
        version=version,
        title="Vaultseek",
        instructions=prompt.INSTRUCTIONS,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
    )


def serve_stdio(vaults: Vaults, *, version: str) -> None:
    """Answer a client until it closes standard input; then end within a second, even if calls still run.

    Ends the whole process if a call still runs.
    """
    try:
        anyio.run(_serve, server_of(vaults, version=version))
    except* (BrokenPipeError, anyio.BrokenResourceError):  # the client has gone without closing our input
        pass
    finally:
        _end(vaults)


async def _serve(server: Server[Any]) -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def _end(vaults: Vaults) -> None:
    """Close the stores if that is quick; they survive an end of the process at any moment."""
    closing = threading.Thread(target=vaults.close, daemon=True)
    closing.start()
    closing.join(_GRACE_S)
    current = threading.current_thread()
    if any(not thread.daemon and thread is not current for thread in threading.enumerate()):
        sys.stderr.flush()
        os._exit(0)  # a normal end would wait for the threads of abandoned calls


def _listed(tool: Tool, vaults: Vaults) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=schema_of(tool, vaults.names),
        output_schema=dict(tool.output),
        annotations=types.ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)
