"""Command-line arguments that several commands share."""

import argparse
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NoReturn

from lsp_server.cli.exit_codes import ERROR
from lsp_server.cli.printable import printable
from lsp_server.config.vault_discovery import MARKER
from search.errors import did_you_mean, shorten

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction["Parser"]  # noqa: SLF001 argparse has no public name for it

COMMAND = "COMMAND"  # stands for a command in help and errors
DEFAULT_LIMIT = 10  # as many as fit on a screen with excerpts; editors set their own number
N_SNIPPETS = 1  # one excerpt tells whether to open the note
N_SNIPPETS_IN_JSON = 3  # as many as editors get
MAX_SNIPPETS = 10
HOW_FOUND = (
    f"Name a vault with --vault DIR. Without it, the nearest folder with {MARKER} is searched, from the current one "
    "upwards, or else the current folder itself."
)
_DIGITS = 10  # of a number; a longer one is out of every range, and its conversion could take long
_SYNONYMS = {"--dry-run": "--plan", "--max-results": "--limit", "--verbose": "--explain", "--path": "--folder"}


class Parser(argparse.ArgumentParser):
    """A parser whose errors take one line."""

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Refuse a value that is not among the choices, and suggest the nearest."""
        if action.choices is not None and value not in action.choices:
            names = [str(choice) for choice in action.choices]
            near = did_you_mean(str(value), names)
            if not near and action.metavar == COMMAND:
                near = f"; to search for words: {self.prog} search WORDS"
            message = f"{shorten(value)} is not allowed; allowed is one of {', '.join(names)}{near}"
            raise argparse.ArgumentError(action, message)

    def refuse(self, words: Sequence[str], *, hint: str = "") -> NoReturn:
        """Exit because of words that the command does not know, with the nearest option, else with the hint."""
        word = words[0].strip()
        if not word.startswith("-"):
            self.error(f"unexpected argument: {word}")
        name = word.partition("=")[0]
        known = [option for option in self._option_string_actions if option.startswith("--")]
        meant = _SYNONYMS.get(name)
        near = f"; did you mean {meant}?" if meant in known else did_you_mean(name, known)
        self.error(f"unknown option: {word}{near or hint}")

    def error(self, message: str) -> NoReturn:
        """Print one line that says what is wrong, and exit."""
        self.exit(ERROR, f"vaultseek: {printable(message)} (see {self.prog} --help)\n")


def add_command(commands: "Commands", name: str, help_text: str, description: str) -> Parser:
    """Add a command over a vault, with the option that all of them have; other options are unset unless added."""
    parser = commands.add_parser(name, help=help_text, description=description, allow_abbrev=False)
    parser.add_argument(
        "--vault", metavar="DIR", help="the vault's folder (default: the vault around the current folder)"
    )
    add_no_snapshot(parser)
    set_defaults(parser)
    return parser


def add_no_snapshot(parser: Parser) -> None:
    """Add the option that keeps nothing for the next start."""
    parser.add_argument(
        "--no-snapshot", action="store_true", help="neither read nor keep what was read of the notes for the next start"
    )


def set_defaults(parser: Parser) -> None:
    """Set what a command's options say unless it adds them."""
    parser.set_defaults(
        color="auto", mode=None, preset=None, pipeline=None, include_linked=False, files=False, snippets=None
    )
    parser.set_defaults(endpoint="", embedding_model="", chat_model="", rerank_model="", key_variable="")
    parser.set_defaults(json=False, explain=False)


def add_color(parser: Parser) -> None:
    """Add the option for colours and links."""
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="colours and links")


def add_limit(parser: Parser) -> None:
    """Add the option for the number of notes."""
    parser.add_argument(
        "--limit",
        metavar="N",
        type=whole_number(1, 100),
        default=DEFAULT_LIMIT,
        help="how many notes to show, 1 to 100 (default: %(default)s)",
    )


def add_output(parser: Parser) -> None:
    """Add the options for the form of an answer."""
    parser.add_argument("--json", action="store_true", help="print the whole answer as one JSON object")
    parser.add_argument("--explain", action="store_true", help="show how each score was computed")
    parser.add_argument(
        "--snippets",
        metavar="N",
        type=whole_number(0, MAX_SNIPPETS),
        help=f"how many excerpts to show of a note, 0 to {MAX_SNIPPETS} "
        f"(default: {N_SNIPPETS}, and {N_SNIPPETS_IN_JSON} with --json)",
    )
    parser.add_argument(
        "--open",
        metavar="N",
        nargs="?",
        type=whole_number(1, 100),
        const=1,
        help="open the first note, or the Nth, with the system's program for its type",
    )


def add_ranking(parser: Parser) -> None:
    """Add the options for which notes to search and how to rank them."""
    parser.add_argument(
        "--folder", metavar="DIR", default="", help="only notes in this folder of the vault or below it"
    )
    parser.add_argument("--tag", action="append", default=[], help="only notes with this tag; can be repeated")
    parser.add_argument("--doc-type", metavar="KIND", action="append", default=[], help="only notes of this kind")

    parser.add_argument(
        "--depth",
        metavar="N",
        type=whole_number(0, 5),
        help="how many links to follow from a note, 0 to 5 (default: the preset's)",
    )
    parser.add_argument(
        "--link-type",
        metavar="TYPE",
        action="append",
        default=[],
        help="follow only links of this type (embed, up, ...)",
    )
    parser.add_argument("--preset", metavar="NAME", help="how to rank (default: balanced)")
    parser.add_argument(
        "--pipeline",
        metavar="JSON",
        help="changes to the preset: a JSON object, or a file that contains one",
    )


def add_mode(parser: Parser) -> None:
    """Add the options for a search by words, by meaning or both, and for the models."""
    parser.add_argument(
        "--mode", choices=("hybrid", "keyword", "vector"), help="words and meaning (the default), or only one of them"
    )
    add_endpoint(parser)


def add_endpoint(parser: Parser, *, only_embedding: bool = False) -> None:
    """Add the options for the endpoint and its models; `only_embedding`: the command asks no other model."""
    for name, metavar, help_text in (
        ("endpoint", "URL", "an OpenAI-compatible server that may receive your notes"),
        (
            "embedding-model",
            "NAME",
            "the endpoint's embedding model; without an endpoint, auto, minilm-l6-v2 or multilingual-e5-small",
        ),
        ("chat-model", "NAME", "the endpoint's chat model, used to expand questions"),
        ("rerank-model", "NAME", "the endpoint's reranking model, used to reorder the best notes"),
        ("key-variable", "NAME", "the environment variable that contains the endpoint's API key"),
    ):
        variable = f"VAULTSEEK_{name.upper().replace('-', '_')}"
        default = os.environ.get(variable, "")
        if only_embedding and name in ("chat-model", "rerank-model"):
            parser.set_defaults(**{name.replace("-", "_"): default})  # what the variables say is checked anyway
            continue
        parser.add_argument(f"--{name}", metavar=metavar, default=default, help=f"{help_text} (or set {variable})")


def whole_number(low: int, high: int) -> Callable[[str], int]:
    """A converter for argparse that accepts `low` to `high`."""

    def convert(text: str) -> int:
        if text.isascii() and text.isdigit() and low <= int(text[:_DIGITS]) <= high and len(text) < _DIGITS:
            return int(text)
        raise argparse.ArgumentTypeError(
            f"{text[:40]} is not allowed; allowed is a whole number from {low:,} to {high:,}"
        )

    return convert
