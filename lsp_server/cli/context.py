"""`vaultseek context`: the best passages for a question as one text, for a chat model or a person to read."""

import argparse
import sys
from typing import TYPE_CHECKING

from lsp_server.cli import arguments
from lsp_server.cli.exit_codes import FOUND, NOTHING
from lsp_server.cli.request import open_engine, query_of, root_of

if TYPE_CHECKING:
    from lsp_server.cli.arguments import Commands

# Copies of the limits in `search.answer.context`: importing that would take longer than building the parser.
MIN_TOKENS, MAX_TOKENS, DEFAULT_TOKENS = 100, 1_000_000, 4_000


def add_command(commands: "Commands") -> None:
    """Add the command."""
    context = arguments.add_command(
        commands,
        "context",
        "print the best passages for a question, for a chat model",
        "Print the best passages for a question as one text that fits a number of tokens.",
    )
    context.add_argument("query", nargs="+", metavar="question", help="a question or words, as for search")
    context.add_argument(
        "--max-tokens",
        metavar="N",
        type=arguments.whole_number(MIN_TOKENS, MAX_TOKENS),
        default=DEFAULT_TOKENS,
        help=f"the most tokens that the text may take, {MIN_TOKENS} to {MAX_TOKENS:,} (default: %(default)s)",
    )
    context.add_argument("--json", action="store_true", help="print the passages and the text as one JSON object")
    context.set_defaults(run=run_context, limit=1)  # has no effect on a context
    arguments.add_ranking(context)
    arguments.add_mode(context)
    arguments.add_color(context)


def run_context(options: argparse.Namespace) -> int:
    """Print the passages and return the exit code, that of `search`; notices go to standard error."""
    root = root_of(options)
    query = query_of(" ".join(options.query), options, root)
    with open_engine(root, options) as (engine, terminal):
        found = engine.context(query, max_tokens=options.max_tokens, progress=terminal.progress)
        if options.json:
            import orjson  # noqa: PLC0415 only --json needs it

            from lsp_server.wire.encode import context_answer, script_context, to_json  # noqa: PLC0415 likewise

            sys.stdout.buffer.write(orjson.dumps(to_json(context_answer(found, script_context(root), ()))) + b"\n")
        else:
            terminal.show_text(found.text)
            terminal.show_notices(found.notices)
    return FOUND if found.passages else NOTHING
