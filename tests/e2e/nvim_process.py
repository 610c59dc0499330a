"""A Neovim of one's own behind msgpack-rpc, with a screen: keys go in as typed, and what a user would see comes out.

Nothing here sleeps: a condition is asked again whenever Neovim says something, until its deadline.
"""

import contextlib
import itertools
import os
import selectors
import subprocess
import time
from pathlib import Path

import msgpack

PLUGIN = Path(__file__).parents[2] / "editor-client" / "neovim"
DEADLINE_S = 30
ASK_AGAIN_S = 0.02


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
    """One Neovim with our plugin and no other."""

    def __init__(self, binary, folder, *, path=None, size=(110, 32), before="local _"):
        folder.mkdir(parents=True, exist_ok=True)
        homes = {f"XDG_{name}_HOME": str(folder / name.lower()) for name in ("CONFIG", "DATA", "STATE", "CACHE")}
        environment = {**os.environ, **homes, "NVIM_LOG_FILE": str(folder / "nvim.log"), "LANG": "C.UTF-8"}
        if path is not None:
            environment["PATH"] = f"{path}{os.pathsep}{os.environ['PATH']}"
        start = [binary, "--clean", "-n", "--embed", "--cmd", f"set rtp^={PLUGIN}", "--cmd", f"lua {before}"]
        self.process = subprocess.Popen(
            start, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        self.screen = Screen()
        self._ids = itertools.count(1)
        self._unpacker = msgpack.Unpacker(ext_hook=lambda _code, data: msgpack.unpackb(data), strict_map_key=False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self.process.stdout, selectors.EVENT_READ)
        self._answers = {}
        self.request("nvim_ui_attach", *size, {"rgb": True, "ext_linegrid": True})
        self.lua(
            "_G.told = {}; vim.notify = function(text, level) table.insert(told, {text = text, level = level}) end;"
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
        """Take what Neovim says next; nothing if it is silent for so long."""
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
        """Type, one key after the other, each as a user's."""
        for key in keys:
            self.request("nvim_input", key)

    def type(self, text):
        self.keys(*("<lt>" if letter == "<" else letter for letter in text))

    def wait(self, expression, *arguments, because=""):
        """The value of a Lua expression once it is neither nil nor false."""
        deadline = time.monotonic() + DEADLINE_S
        code = expression if "return" in expression else f"return {expression}"
        while not (value := self.lua(code, *arguments)):
            assert time.monotonic() < deadline, f"{because or expression} did not happen; the screen is\n{self.screen}"
            self._listen(ASK_AGAIN_S)
        return value

    def wait_screen(self, *texts):
        """Until the screen shows all of these."""
        deadline = time.monotonic() + DEADLINE_S
        while missing := [text for text in texts if text not in str(self.screen)]:
            assert time.monotonic() < deadline, f"{missing} not on the screen, which is\n{self.screen}"
            self._listen(ASK_AGAIN_S)

    def messages(self):
        """What was told since this was last asked."""
        return self.lua("local all = told; told = {}; return vim.tbl_map(function(m) return m.text end, all)")

    def edit(self, path):
        self.lua("vim.cmd('edit ' .. vim.fn.fnameescape(...))", str(path))

    def leave(self):
        """Quit as a user does, and be sure that it is gone."""
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
