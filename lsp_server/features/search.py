"""`vaultseek/search`: notes for a query, with the reasons for their order.

With a partialResultToken the answer comes in steps, and each step is a whole list that replaces the previous one: first
notes whose name matches; then, while the vault is still being read, the results for the notes read so far, at growing
intervals; then the result by words; and at last the whole answer as the response. The first result that is not by name
is sent when its first ten notes have excerpts, and again when all have. A newer search of the same vault cancels an
older one.
"""

import asyncio
import time
from collections.abc import Callable

from attrs import evolve
from lsprotocol.types import PROGRESS, ProgressParams

from lsp_server.features.query import resolve_query
from lsp_server.server import VaultseekServer
from lsp_server.wire.decode import structure
from lsp_server.wire.encode import search_answer, to_json
from lsp_server.wire.types import SearchAnswer, SearchParams, WireExpandedQuery
from search.answer.result import SearchResult
from search.budget import Budget
from search.ports import Progress

DEBOUNCE_S = 0.01
"""How long a search that cancelled an older one waits for a newer one before it starts."""

PATIENCE_S = (0.2, 0.5, 1.0, 2.0, 4.0, None)
"""How long each partial result is waited for while a vault is being read; at last, until all of it is read."""


async def search(ls: VaultseekServer, params: object) -> object:
    """Answer a query, unless a newer search of the same vault cancels it."""
    typed = structure(SearchParams, params, "params")
    send = _partial_sender(ls, typed)
    ls.session.mark_requested(typed.vault)
    with (
        ls.work_done(typed.work_done_token, "Reading notes") as progress,
        ls.superseding(ls.session.vault_if_known(typed.vault)) as has_superseded,
    ):
        # Of several searches that arrive at once, only the last one continues past this line.
        await asyncio.sleep(DEBOUNCE_S if has_superseded else 0.0)
        return await ls.search_workers.run(
            lambda budget: to_json(_answer(ls, typed, params, budget, progress=progress, send=send))
        )


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
    request = resolve_query(ls, params, raw)
    if request is None:
        return SearchAnswer(notices=ls.session.refusals(), expanded_query=WireExpandedQuery(original=params.query))
    engine = request.vault.engine(ls.session.documents)

    def encoded(result: SearchResult) -> SearchAnswer:
        return search_answer(params.query, result, request.context, request.notices)

    def ask(
        patience_s: float | None,
        on_answer: Callable[[SearchResult], None] | None = None,
        on_first: Callable[[SearchResult], None] | None = None,
    ) -> SearchResult:
        return engine.search(
            request.query,
            budget=budget,
            patience_s=patience_s,
            progress=progress,
            on_answer=on_answer,
            on_first=on_first,
        )

    def send_partial(result: SearchResult | None) -> None:
        if send is not None and result is not None:
            send(encoded(evolve(result, is_complete=False)))

    if send is None:
        result = ask(ls.session.options_of(request.vault).patience_s)
    else:
        send_partial(engine.by_name(request.query))
        for patience_s in PATIENCE_S:
            is_first = patience_s == PATIENCE_S[0]  # excerpts that are on the screen never disappear again
            result = ask(patience_s, send_partial, send_partial if is_first else None)
            if result.is_complete:
                break
            send_partial(result)
    answer = encoded(result)
    request.vault.latencies_ms.append((time.perf_counter() - since) * 1000.0)
    ls.hover_workers.submit(engine.prepare_symbols)
    return answer


def _partial_sender(ls: VaultseekServer, params: SearchParams) -> Callable[[SearchAnswer], None] | None:
    """A function for the worker thread that sends an answer on the client's token, unless the request is cancelled."""
    token, task, loop = params.partial_result_token, asyncio.current_task(), asyncio.get_running_loop()
    if token is None or task is None:
        return None

    def send_now(answer: object) -> None:
        if not task.cancelling() and not task.done():
            ls.protocol.notify(PROGRESS, ProgressParams(token=token, value=answer))

    def send(answer: SearchAnswer) -> None:
        loop.call_soon_threadsafe(send_now, to_json(answer))

    return send
