"""Text synchronization: what the editor has open is searched as it is on the screen."""

import logging

from lsprotocol import types as lsp

from lsp_server.protocol import VaultseekServer

logger = logging.getLogger(__name__)


def register(server: VaultseekServer) -> None:
    """Add the handlers."""
    server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)(did_open)
    server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)(did_change)
    server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)(did_close)


def did_open(ls: VaultseekServer, params: lsp.DidOpenTextDocumentParams) -> None:
    """The text is the editor's from now on."""
    ls.session.documents.open(params.text_document)


def did_change(ls: VaultseekServer, params: lsp.DidChangeTextDocumentParams) -> None:
    """Apply the edits."""
    document = params.text_document
    if not ls.session.documents.change(document.uri, document.version, list(params.content_changes), ls.encoding):
        logger.warning("A text was changed that is not open")


def did_close(ls: VaultseekServer, params: lsp.DidCloseTextDocumentParams) -> None:
    """The disk's text counts again, so it is looked at anew."""
    ls.session.documents.close(params.text_document.uri)
    ls.session.hint([params.text_document.uri])
