"""Text synchronization: open texts are searched as they are on the screen."""

import logging

from lsprotocol import types as lsp

from lsp_server.server import VaultseekServer

logger = logging.getLogger(__name__)


def did_open(ls: VaultseekServer, params: lsp.DidOpenTextDocumentParams) -> None:
    """From now on the editor's text replaces the file."""
    ls.session.documents.open(params.text_document)
    _read_later(ls, params.text_document.uri)


def did_change(ls: VaultseekServer, params: lsp.DidChangeTextDocumentParams) -> None:
    """Apply the edits."""
    document = params.text_document
    if not ls.session.documents.change(document.uri, document.version, list(params.content_changes), ls.encoding):
        logger.warning("The client changed a text that is not open")
    _read_later(ls, document.uri)


def _read_later(ls: VaultseekServer, uri: str) -> None:
    """Compute the lines of the text now rather than at the next request, so that edits do not accumulate."""
    document = ls.session.documents.get(uri)
    if document is not None:
        ls.background_workers.submit(document.prepare)


def did_close(ls: VaultseekServer, params: lsp.DidCloseTextDocumentParams) -> None:
    """The file counts again, so it must be read again."""
    ls.session.documents.close(params.text_document.uri)
    ls.session.mark_changed([params.text_document.uri])
