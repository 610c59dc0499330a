"""`vaultseek/explain`: why a note has its rank in an answer, or which step removed it."""

from lsp_server.features.query import not_searched, note_named, resolve_query
from lsp_server.server import VaultseekServer
from lsp_server.wire.decode import structure
from lsp_server.wire.encode import explain_answer, to_json
from lsp_server.wire.types import ExplainAnswer, ExplainParams
from search.budget import Budget


async def explain(ls: VaultseekServer, params: object) -> object:
    """Explain one note. Waits until the whole vault is read: part of a vault would give a wrong reason."""
    typed = structure(ExplainParams, params, "params")
    with ls.work_done(typed.work_done_token, "Explaining"):
        return await ls.search_workers.run(lambda budget: to_json(_explain(ls, typed, params, budget)))


def _explain(ls: VaultseekServer, params: ExplainParams, raw: object, budget: Budget) -> ExplainAnswer:
    request = resolve_query(ls, params, raw)
    if request is None:
        raise not_searched(ls)
    note = note_named(params.note, request.vault, "params.note")
    reason = request.vault.engine(ls.session.documents).explain(request.query, note, budget=budget)
    return explain_answer(reason, request.context, request.notices)
