"""`vaultseek/search`: notes for a query, with the reasons for their order.

With a partialResultToken the answer comes in steps, each a whole list in place of the one before: what is called so, at
once; what is known of a vault that is still being read; what words find; and the whole as the answer. A newer search of
the same vault takes the place of an older one, which is answered as cancelled.
"""

import asyncio
import time
from collections.abc import Callable

from attrs import evolve
from lsprotocol.types import PROGRESS, ProgressParams

from lsp_server.features.query import read_query
from lsp_server.from_wire import structure
from lsp_server.protocol import VaultseekServer
from lsp_server.to_wire import search_answer, to_json, wire_notices
from lsp_server.wire import METHOD_SEARCH, SearchAnswer, SearchParams, WireExpandedQuery
from search.answer.result import SearchResult
from search.budget import Budget
from search.ports import Progress

ROW_S = 0.01
"""How long a search that took another one's place waits for one that takes its own."""

FIRST_PATIENCE_S = 0.2
"""How long a client that takes partial results waits for the first one while a vault is being read."""


def register(server: VaultseekServer) -> None:
    """Add the handler."""
    server.feature(METHOD_SEARCH)(search)


async def search(ls: VaultseekServer, params: object) -> object:
    """Answer a query, unless a newer one comes."""
    asked = structure(SearchParams, params, "params")
    send = _partial_sender(ls, asked)
    ls.session.expect(asked.vault)
    with (
        ls.work_done(asked.work_done_token, "Reading notes") as progress,
        ls.superseding(ls.session.vault_meant(asked.vault)) as is_in_a_row,
    ):
        # Of searches that come together only the last one goes on from here.
        await asyncio.sleep(ROW_S if is_in_a_row else 0.0)
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
    since = time.perf_counter()
    asked = read_query(ls, params, raw)
    if asked is None:
        return _no_answer(ls, params.query)
    engine = asked.vault.engine(ls.session.documents)

    def answer(result: SearchResult) -> SearchAnswer:
        return search_answer(params.query, result, asked.vantage, asked.notices)

    def ask(patience_s: float | None) -> SearchResult:
        return engine.search(asked.query, budget=budget, patience_s=patience_s, progress=progress, on_answer=step)

    def step(result: SearchResult | None) -> None:
        if send is not None and result is not None:
            send(answer(evolve(result, is_complete=False)))

    def final(result: SearchResult) -> SearchAnswer:
        whole = answer(result)
        asked.vault.speed.add((time.perf_counter() - since) * 1000.0)
        ls.behind(engine.prepare_symbols)
        return whole

    if send is None:
        patience_s = ls.session.options_of(asked.vault).patience_s
        return final(engine.search(asked.query, budget=budget, patience_s=patience_s, progress=progress))
    step(engine.by_name(asked.query))
    first = ask(FIRST_PATIENCE_S)
    if not first.is_complete:
        step(first)
        first = ask(None)
    return final(first)


def _no_answer(ls: VaultseekServer, query: str) -> SearchAnswer:
    return SearchAnswer(
        results=(),
        notices=wire_notices(ls.session.refusals()),
        total=0,
        mode="keyword",
        search_type="keyword",
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
