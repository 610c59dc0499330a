# ruff: noqa: D102  a double of the server
"""A replacement for the server that follows a test's script and records everything it receives.

A search for `hold…` is answered only when a notification `test/say` says so, even if it was cancelled, which a client
must tolerate. Any other search is answered at once with one note named after the query. Uses only the standard library,
so that it starts fast.

Usage: scripted_server.py LOG [die] [VERSION] …; with `die` it ends before its first answer.
"""

import json
import sys
from pathlib import Path
from urllib.parse import quote, unquote


def read():
    length = 0
    while line := sys.stdin.buffer.readline().strip():
        name, _, value = line.partition(b":")
        length = int(value) if name.lower() == b"content-length" else length
    return json.loads(sys.stdin.buffer.read(length)) if length else None


def send(**message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    sys.stdout.buffer.flush()


def item(vault, title, **more):
    place = {"start": {"line": 2, "character": 0}, "end": {"line": 2, "character": 4}}
    snippet = {"text": "text of " + title, "range": place, "highlights": [place], "marks": [[0, 4]]}
    return {
        "id": f"{title}.md",
        "uri": f"{vault}/{quote(title)}.md",
        "title": title,
        "score": 0.98,
        "strength": 0.5,
        "engine": "lexical",
        "sentence": f"{title} holds it.",
        "snippets": [snippet],
        "sections": [],
        "explanation": {"trail": []},
        **more,
    }


def answer(vault, titles, *, generation=1, complete=True, notices=()):
    reply = [{"kind": "degraded", "code": "test", "message": text} for text in notices]
    weak = {"strength": 0.1, "strengthLevel": "weak"}
    results = [item(vault, title, **(weak if title.startswith("Weak") else {})) for title in titles]
    return {
        "results": results,
        "notices": reply,
        "total": len(results),
        "mode": "keyword",
        "complete": complete,
        "generation": generation,
    }


class Script:
    """The requests that are held back, and the answer to each message."""

    def __init__(self, version):
        self.version = version
        self.held = {}
        self.running = None

    def initialize(self, number, _params):
        capabilities = {"textDocumentSync": 2, "hoverProvider": True, "executeCommandProvider": {"commands": []}}
        info = {"name": "scripted", "version": self.version}
        send(id=number, result={"capabilities": capabilities, "serverInfo": info})

    def shutdown(self, number, _params):
        send(id=number, result=None)

    def search(self, number, params):
        query = params["query"]
        if query.startswith("hold"):
            self.held[query] = (number, params)
        elif query == "fail":
            send(id=number, error={"code": -32803, "message": "The folder is not searched: it is your home."})
        else:
            titles = [] if query == "nothing" else [query]
            send(id=number, result=answer(params["vault"], titles, notices=["A word of caution."] * (query == "warn")))

    def say(self, _number, params):
        """Answer a held search, partially or completely."""
        number, asked = self.held[params["query"]]
        reply = answer(
            asked["vault"], params["titles"], generation=params["generation"], complete=not params["partial"]
        )
        if params["partial"]:
            send(method="$/progress", params={"token": asked["partialResultToken"], "value": reply})
        else:
            send(id=number, result=reply)

    def related(self, number, params):
        stem = unquote(params["textDocument"]["uri"]).rsplit("/", 1)[1].removesuffix(".md")
        about = params.get("heading") or (f"line {params['range']['start']['line']}" if "range" in params else stem)
        reply = answer(params["vault"], [])
        reply["results"] = [
            item(params["vault"], "Cousin", reason=f"cites {about}", isLinked=True),
            item(params["vault"], "Nephew", reason=f"shares two tags with {about}", isLinked=False),
        ]
        send(id=number, result={**reply, "total": 2})

    def explain(self, number, params):
        reply = {"note": "Here.md", "total": 3, "sentence": f"Nothing of {params['query']}.", "notices": []}
        send(id=number, result={**reply, "found": None, "lastShown": None})

    def execute(self, number, params):
        token = params["workDoneToken"]
        send(method="$/progress", params={"token": token, "value": {"kind": "begin", "title": "Embedding notes"}})
        self.running = number
        value = {"kind": "report", "percentage": 40, "message": "2 of 5 notes"}
        send(method="$/progress", params={"token": token, "value": value})

    def cancel(self, _number, params):
        if params["id"] == self.running:
            send(id=self.running, error={"code": -32800, "message": "cancelled"})


def main(log, *how):
    script = Script(next((word for word in how if word[0].isdigit()), "0.1.0"))
    meets = {
        "initialize": script.initialize,
        "shutdown": script.shutdown,
        "vaultseek/search": script.search,
        "vaultseek/related": script.related,
        "vaultseek/explain": script.explain,
        "workspace/executeCommand": script.execute,
        "$/cancelRequest": script.cancel,
        "test/say": script.say,
    }
    with Path(log).open("a", encoding="utf-8") as written:
        written.write('{"method": "start"}\n')
        written.flush()
        if "die" in how:
            sys.exit(3)
        while (message := read()) and message.get("method") != "exit":
            written.write(json.dumps(message) + "\n")
            written.flush()
            if message.get("method") in meets:
                meets[message["method"]](message.get("id"), message.get("params"))


if __name__ == "__main__":
    main(*(word for word in sys.argv[1:] if word != "serve"))
