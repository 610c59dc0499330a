"""An editor's client library (pytest-lsp), with capabilities of real editors, against the real server."""

import asyncio
import sys

import pytest
import pytest_lsp
from lsprotocol import types as lsp
from pygls.protocol import default_converter
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, register_lsp_features

from tests.e2e.conftest import SERVE


def make_client():
    """The default client fails at partial results and at registrations; this one accepts both."""
    client = LanguageClient(converter_factory=default_converter)
    client.streamed, client.registered = [], []

    @client.feature(lsp.PROGRESS)
    def on_progress(params):
        client.streamed.append(params)

    @client.feature(lsp.CLIENT_REGISTER_CAPABILITY)
    def on_register(params):
        client.registered.extend(params.registrations)

    ours = client.protocol.fm.features
    register_lsp_features(client, {name: made for name, made in DEFAULT_CLIENT_FEATURES.items() if name not in ours})
    return client


@pytest_lsp.fixture(
    scope="module",
    config=ClientServerConfig(server_command=[sys.executable, "-c", SERVE], client_factory=make_client),
    params=["visual-studio-code", "neovim", "emacs"],
)
async def editor(request, lsp_client: LanguageClient, garden):
    folder = lsp.WorkspaceFolder(uri=garden.as_uri(), name="garden")
    capabilities = client_capabilities(request.param)
    await lsp_client.initialize_session(
        lsp.InitializeParams(capabilities=capabilities, root_uri=garden.as_uri(), workspace_folders=[folder])
    )
    yield
    await lsp_client.shutdown_session()


@pytest.mark.asyncio(loop_scope="module")
async def test_an_editor_searches_with_progress(editor):
    params = {"query": "orchid", "workDoneToken": "w", "partialResultToken": "p"}
    answer = await editor.protocol.send_request_async("vaultseek/search", params)
    assert [result.id for result in answer.results] == ["plants/orchid.md", "plants/fern.md", "watering.md"]
    kinds = [note.value["kind"] for note in editor.streamed if note.token == "w"]  # noqa: S105 a name of a stream
    assert (kinds[0], kinds[-1]) == ("begin", "end")


@pytest.mark.asyncio(loop_scope="module")
async def test_an_editor_s_text_is_searched(editor, garden):
    uri = (garden / "plants/fern.md").as_uri()
    item = lsp.TextDocumentItem(uri=uri, language_id="markdown", version=1, text="# Fern\n\nbracken\n")
    editor.text_document_did_open(lsp.DidOpenTextDocumentParams(text_document=item))
    answer = await editor.protocol.send_request_async("vaultseek/search", {"query": "bracken"})
    assert [result.id for result in answer.results] == ["plants/fern.md", "plants/orchid.md", "watering.md"]
    closed = lsp.TextDocumentIdentifier(uri=uri)
    editor.text_document_did_close(lsp.DidCloseTextDocumentParams(text_document=closed))


@pytest.mark.asyncio(loop_scope="module")
async def test_an_editor_gets_hovers_definitions_and_symbols(editor, garden):
    uri = (garden / "plants/orchid.md").as_uri()
    at = {"text_document": lsp.TextDocumentIdentifier(uri=uri), "position": lsp.Position(line=5, character=32)}
    hover = await editor.text_document_hover_async(lsp.HoverParams(**at))
    assert hover.contents.kind == lsp.MarkupKind.Markdown
    assert "Rain water is best" in hover.contents.value
    (place,) = await editor.text_document_definition_async(lsp.DefinitionParams(**at))
    assert place.uri == (garden / "watering.md").as_uri()
    context = lsp.ReferenceContext(include_declaration=False)
    (mention,) = await editor.text_document_references_async(lsp.ReferenceParams(context=context, **at))
    assert (mention.uri, mention.range.start.line) == (uri, 5)
    assert mention.range.start.character in {24, 25, 27}  # in UTF-32, UTF-16 or UTF-8, as agreed
    symbols = await editor.workspace_symbol_async(lsp.WorkspaceSymbolParams(query="phal"))
    assert [(symbol.name, symbol.container_name) for symbol in symbols] == [("Phalaenopsis", "Orchid")]


@pytest.mark.asyncio(loop_scope="module")
async def test_an_editor_gets_related_notes(editor, garden):
    params = {"textDocument": {"uri": (garden / "plants/orchid.md").as_uri()}}
    answer = await editor.protocol.send_request_async("vaultseek/related", params)
    assert {result.id: result.isLinked for result in answer.results}["watering.md"] is True
    assert all(result.reason.endswith(".") for result in answer.results)


@pytest.mark.asyncio(loop_scope="module")
async def test_no_message_box_was_shown(editor):
    await editor.protocol.send_request_async("vaultseek/status", {})
    await asyncio.sleep(0)
    assert editor.messages == []
