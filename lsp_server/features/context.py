"""`vaultseek/context`: the best passages for a question as one text within a budget of tokens."""

from lsp_server.features.query import resolve_query
from lsp_server.server import VaultseekServer
from lsp_server.wire.decode import structure
from lsp_server.wire.encode import context_answer, to_json
from lsp_server.wire.types import ContextAnswer, ContextParams
from search.budget import Budget


async def context(ls: VaultseekServer, params: object) -> object:
    """Answer with passages; waits while the vault is read, as `vaultseek/search` does."""
    typed = structure(ContextParams, params, "params")
    ls.session.mark_requested(typed.vault)
    with ls.work_done(typed.work_done_token, "Reading notes"):
        answer = await ls.search_workers.run(lambda budget: _context(ls, typed, params, budget))
    return to_json(answer)


def _context(ls: VaultseekServer, params: ContextParams, raw: object, budget: Budget) -> ContextAnswer:
    request = resolve_query(ls, params, raw)
    if request is None:
        return ContextAnswer(max_tokens=params.max_tokens, notices=ls.session.refusals())
    found = request.vault.engine(ls.session.documents).context(
        request.query,
        max_tokens=params.max_tokens,
        budget=budget,
        patience_s=ls.session.options_of(request.vault).patience_s,
    )
    return context_answer(found, request.context, request.notices)
