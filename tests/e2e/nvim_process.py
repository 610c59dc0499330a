# ruff: noqa: D102  a double of a user
"""A Neovim behind msgpack-rpc with a screen: a test types keys and reads what a user would see.

Nothing here sleeps: a condition is checked again after each message of Neovim, until its deadline.
"""

import contextlib
import itertools
import os
import selectors
import shlex
import shutil
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import pytest

msgpack = pytest.importorskip("msgpack", reason="msgpack of the test group is not installed: Neovim is not tested")

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "editor-client" / "neovim"
SCRIPTED_SERVER = ROOT / "tests/e2e/scripted_server.py"
DEADLINE_S = 30
ASK_AGAIN_S = 0.02


def binaries():
    """The Neovims to test with: those in VAULTSEEK_NVIMS, which must exist; else those that are installed."""
    named = os.environ.get("VAULTSEEK_NVIMS")
    own = str(ROOT / "build/nvim-venv/bin/nvim")
    names = named.split(os.pathsep) if named else [name for name in ("nvim", own) if shutil.which(name)]
    return [str(Path(shutil.which(name) or name).absolute()) for name in names] or [None]


@cache  # asked once for each parametrized test
def version_of(binary):
    if binary is None:
        return "none"
    first = subprocess.run([binary, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    return first.removeprefix("NVIM v")


def each_nvim(test):
    """Parametrize a fixture with all Neovims."""
    return pytest.fixture(scope="module", params=binaries(), ids=version_of)(test)


def needs(binary):
    """The program; skips the test with a reason if it is missing."""
    if binary is None:
        pytest.skip("no Neovim here: install one, or run `make build/nvim-venv/installed`")
    return binary


def make_vault(root, notes):
    """Write the notes below `root`, which is returned."""
    for name, text in notes.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def write_command(folder, *words):
    """A command `vaultseek` in its own folder, as if it were on PATH."""
    folder.mkdir(parents=True)
    script = folder / "vaultseek"
    line = shlex.join([sys.executable, *map(str, words)])
    script.write_text(f'#!/bin/sh\nPYTHONPATH={shlex.quote(str(ROOT))} exec {line} "$@"\n')
    script.chmod(0o755)
    return folder


class Screen:
    """The cells that Neovim draws (`ext_linegrid`), as text."""

    def __init__(self):
        self.rows = []

    def take(self, events):
        for name, *calls in events:
            for arguments in calls:
                if (draw := getattr(self, f"_{name}", None)) is not None:
                    draw(*arguments)

    def _grid_resize(self, _grid, columns, lines):
        self.rows = [[" "] * columns for _ in range(lines)]

    def _grid_clear(self, _grid):
        self.rows = [[" "] * len(row) for row in self.rows]

    def _grid_line(self, _grid, row, column, cells, *_wrap):
        for text, *more in cells:
            repeat = more[1] if len(more) > 1 else 1
            self.rows[row][column : column + repeat] = [text] * repeat
            column += repeat

    def _grid_scroll(self, _grid, top, bottom, left, right, by, _columns):
        rows = range(top, bottom - by) if by > 0 else range(bottom - 1, top - by - 1, -1)
        for row in rows:
            self.rows[row][left:right] = self.rows[row + by][left:right]

    def __str__(self):
        return "\n".join("".join(row).rstrip() for row in self.rows)


class Nvim:
    """One Neovim with this plugin and no other."""

    def __init__(self, binary, folder, *, path=None, size=(110, 32), before="local _", cwd=None):
        folder.mkdir(parents=True, exist_ok=True)
        homes = {f"XDG_{name}_HOME": str(folder / name.lower()) for name in ("CONFIG", "DATA", "STATE", "CACHE")}
        environment = {**os.environ, **homes, "NVIM_LOG_FILE": str(folder / "nvim.log"), "LANG": "C.UTF-8"}
        if path is not None:
            environment["PATH"] = f"{path}{os.pathsep}{os.environ['PATH']}"
        start = [binary, "--clean", "-n", "--embed", "--cmd", f"set rtp^={PLUGIN}", "--cmd", f"lua {before}"]
        self.process = subprocess.Popen(
            start, cwd=cwd or folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        self.screen = Screen()
        self._ids = itertools.count(1)
        self._unpacker = msgpack.Unpacker(
            ext_hook=lambda _code, data: msgpack.unpackb(data), strict_map_key=False, unicode_errors="replace"
        )
        self._selector = selectors.DefaultSelector()
        self._selector.register(self.process.stdout, selectors.EVENT_READ)
        self._answers = {}
        self.request("nvim_ui_attach", *size, {"rgb": True, "ext_linegrid": True})
        self.lua(
            "_G.notified = {};"
            " vim.notify = function(text, level) table.insert(notified, {text = text, level = level}) end;"
            " vim.opt.shortmess:append('aoOtTIcF'); vim.o.more = false"
        )

    def request(self, method, *arguments):
        number = next(self._ids)
        self.process.stdin.write(msgpack.packb([0, number, method, arguments]))
        deadline = time.monotonic() + DEADLINE_S
        while number not in self._answers:
            assert time.monotonic() < deadline, f"{method} is not answered; the screen is\n{self.screen}"
            self._listen(DEADLINE_S)
        error, result = self._answers.pop(number)
        assert error is None, f"{method}: {error[1]}"
        return result

    def _listen(self, timeout_s):
        """Handle Neovim's next message, if one arrives within that time."""
        if not self._selector.select(timeout_s):
            return
        data = os.read(self.process.stdout.fileno(), 65536)
        assert data, f"Neovim is gone; the screen was\n{self.screen}"
        self._unpacker.feed(data)
        for message in self._unpacker:
            if message[0] == 1:
                self._answers[message[1]] = message[2:]
            elif message[1] == "redraw":
                self.screen.take(message[2])

    def lua(self, code, *arguments):
        return self.request("nvim_exec_lua", code, arguments)

    def command(self, text):
        self.request("nvim_command", text)

    def keys(self, *keys):
        """Type one key after the other, like a user."""
        for key in keys:
            self.request("nvim_input", key)

    def type(self, text):
        self.keys(*("<lt>" if letter == "<" else letter for letter in text))

    def wait(self, expression, *arguments, because=""):
        """Wait until a Lua expression is neither nil nor false, and return its value."""
        deadline = time.monotonic() + DEADLINE_S
        code = expression if "return" in expression else f"return {expression}"
        while not (value := self.lua(code, *arguments)):
            assert time.monotonic() < deadline, f"{because or expression} did not happen; the screen is\n{self.screen}"
            self._listen(ASK_AGAIN_S)
        return value

    def wait_screen(self, *texts):
        """Wait until the screen shows all of these texts."""
        deadline = time.monotonic() + DEADLINE_S
        while missing := [text for text in texts if text not in str(self.screen)]:
            assert time.monotonic() < deadline, f"{missing} not on the screen, which is\n{self.screen}"
            self._listen(ASK_AGAIN_S)

    def picker(self, condition="s.phase == 'done'"):
        """Wait until a condition on the picker (`s`) holds, and return what it shows."""
        ask = "local s = require('vaultseek.picker').snapshot()"
        return self.wait(f"{ask}; return s and ({condition}) and s", because=f"the picker's {condition}")

    def wait_message(self, part):
        """Wait until a message contains this text, and return all messages."""
        matching = "vim.tbl_filter(function(m) return m.text:find(..., 1, true) end, notified)[1]"
        self.wait(
            f"local part = ...; return {matching.replace('...', 'part')} ~= nil", part, because=f"the message {part!r}"
        )
        return self.messages()

    def tidy(self):
        """Go back to one empty buffer in one window, with nothing open and no messages."""
        self.keys("<Esc>", "<Esc>")
        self.wait("vim.api.nvim_get_mode().mode == 'n'")
        self.lua(
            "require('vaultseek.picker').close(); vim.cmd('silent! tabonly | silent! only | enew!');"
            " local here = vim.api.nvim_get_current_buf();"
            " for _, buf in ipairs(vim.api.nvim_list_bufs()) do"
            " if buf ~= here then pcall(vim.api.nvim_buf_delete, buf, {force = true}) end end;"
            " notified = {}; require('vaultseek.root').last = nil; vim.fn.setqflist({}, 'f')"
        )

    def messages(self):
        """The messages since the last call."""
        return self.lua("local all = notified; notified = {}; return vim.tbl_map(function(m) return m.text end, all)")

    def check_no_error(self):
        """Check that no callback swallowed a Lua error since the last call."""
        said = self.lua("return vim.api.nvim_exec('messages', true)")
        self.command("messages clear")
        assert "stack traceback" not in said, said

    def edit(self, path):
        self.lua("vim.cmd('edit ' .. vim.fn.fnameescape(...))", str(path))

    def leave(self):
        """Quit like a user, and check that the process has ended."""
        with contextlib.suppress(AssertionError, BrokenPipeError):
            self.process.stdin.write(msgpack.packb([0, 0, "nvim_command", ["qall!"]]))
            self.process.wait(timeout=10)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._selector.close()
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
