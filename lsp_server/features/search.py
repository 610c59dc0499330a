"""`vaultseek/search`: notes for a query, with the reasons for their order."""

import asyncio
from collections.abc import Callable

from lsprotocol.types import PROGRESS, ProgressParams

from lsp_server.features.query import read_query
from lsp_server.from_wire import structure
from lsp_server.protocol import VaultseekServer
from lsp_server.to_wire import search_answer, to_json, wire_notices
from lsp_server.wire import METHOD_SEARCH, SearchAnswer, SearchParams, WireExpandedQuery
from search.answer.result import SearchResult
from search.budget import Budget
from search.progress import Progress

FIRST_PATIENCE_S = 0.2
"""How long a client that takes partial results waits for the first one while a vault is being read."""


def register(server: VaultseekServer) -> None:
    """Add the handler."""
    server.feature(METHOD_SEARCH)(search)


async def search(ls: VaultseekServer, params: object) -> object:
    """Answer a query. With a partialResultToken, what words find comes first, and what is known of a cold vault."""
    asked = structure(SearchParams, params, "params")
    send = _partial_sender(ls, asked)
    with ls.work_done(asked.work_done_token, "Reading notes") as progress:
        answer = await ls.work.run(lambda budget: _answer(ls, asked, params, budget, progress=progress, send=send))
    return to_json(answer)


def _answer(
    ls: VaultseekServer,
    params: SearchParams,
    raw: object,
    budget: Budget,
    *,
    progress: Progress,
    send: Callable[[SearchAnswer], None] | None,
) -> SearchAnswer:
    asked = read_query(ls, params, raw)
    if asked is None:
        return _no_answer(ls, params.query)

    def answer(result: SearchResult) -> SearchAnswer:
        return search_answer(params.query, result, asked.vantage, asked.notices)

    def ask(patience_s: float | None) -> SearchResult:
        engine = asked.vault.engine(ls.session.documents)
        on_answer = None if send is None else (lambda result: send(answer(result)))
        return engine.search(asked.query, budget=budget, patience_s=patience_s, progress=progress, on_answer=on_answer)

    if send is None:
        return answer(ask(ls.session.options.patience_s))
    first = ask(FIRST_PATIENCE_S)
    if first.is_complete:
        return answer(first)
    send(answer(first))
    return answer(ask(None))


def _no_answer(ls: VaultseekServer, query: str) -> SearchAnswer:
    return SearchAnswer(
        results=(),
        notices=wire_notices(ls.session.refusals()),
        total=0,
        mode="keyword",
        complete=True,
        generation=0,
        expanded_query=WireExpandedQuery(original=query, terms=()),
        timings={},
    )


def _partial_sender(ls: VaultseekServer, params: SearchParams) -> Callable[[SearchAnswer], None] | None:
    """Sends an answer on the client's token, unless the request was cancelled meanwhile; for the worker's thread."""
    token, task, loop = params.partial_result_token, asyncio.current_task(), asyncio.get_running_loop()
    if token is None or task is None:
        return None

    def send_now(answer: SearchAnswer) -> None:
        if not task.cancelling() and not task.done():
            ls.protocol.notify(PROGRESS, ProgressParams(token=token, value=to_json(answer)))

    def send(answer: SearchAnswer) -> None:
        loop.call_soon_threadsafe(send_now, answer)

    return send
