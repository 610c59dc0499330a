"""`vaultseek/explain`: why a note stands where it does in an answer, or at which step it fell out."""

from lsp_server.features.query import not_searched, note_named, read_query
from lsp_server.from_wire import structure
from lsp_server.protocol import VaultseekServer
from lsp_server.to_wire import explain_answer, to_json
from lsp_server.wire import METHOD_EXPLAIN, ExplainAnswer, ExplainParams
from search.budget import Budget


def register(server: VaultseekServer) -> None:
    """Add the handler."""
    server.feature(METHOD_EXPLAIN)(explain)


async def explain(ls: VaultseekServer, params: object) -> object:
    """Explain one note. Waits until the vault is read: half a vault explains nothing."""
    asked = structure(ExplainParams, params, "params")
    with ls.work_done(asked.work_done_token, "Explaining"):
        answer = await ls.work.run(lambda budget: _explain(ls, asked, params, budget))
    return to_json(answer)


def _explain(ls: VaultseekServer, params: ExplainParams, raw: object, budget: Budget) -> ExplainAnswer:
    asked = read_query(ls, params, raw)
    if asked is None:
        raise not_searched(ls)
    note = note_named(params.note, asked.vault, "params.note")
    reason = asked.vault.engine(ls.session.documents).explain(asked.query, note, budget=budget)
    return explain_answer(reason, asked.vantage, asked.notices)
