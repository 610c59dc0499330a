"""`vaultseek/text`: the text of a file as it is searched, for editors that cannot show the file itself."""

from lsp_server.features.query import find_file, not_searched, render_context
from lsp_server.server import VaultseekServer
from lsp_server.wire.decode import structure
from lsp_server.wire.encode import text_answer, to_json
from lsp_server.wire.types import TextAnswer, TextParams
from search.budget import Budget


async def text(ls: VaultseekServer, params: object) -> object:
    """Answer with a text; waits only while the vault is read for the first time."""
    typed = structure(TextParams, params, "params")
    with ls.work_done(typed.work_done_token, "Reading a file"):
        return await ls.patient_workers.run(lambda budget: to_json(_text(ls, typed, budget)))


def _text(ls: VaultseekServer, params: TextParams, budget: Budget) -> TextAnswer:
    vault, note = find_file(ls, params.text_document.uri, params.vault)
    if vault.refusal():
        raise not_searched(ls)
    engine = vault.engine(ls.session.documents)
    patience_s = ls.session.options_of(vault).patience_s
    return text_answer(engine.text_of(note, budget=budget, patience_s=patience_s), render_context(ls, vault))
