import "./world";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { MessageConnection } from "vscode-jsonrpc";
import { Buffers } from "../../src/buffers";
import { CHANGED, CREATED, DELETED, Hints } from "../../src/hints";

interface Message {
  readonly textDocument: { readonly uri: string; readonly version?: number; readonly text?: string };
  readonly contentChanges?: readonly { readonly text: string }[];
}

function setUp() {
  const log: string[] = [];
  const connect = (name: string) =>
    ({
      sendNotification: (method: string, { textDocument: { uri, version, text }, contentChanges }: Message) => {
        const shown = text ?? contentChanges?.[0]?.text ?? "";
        log.push([name, method.replace("textDocument/", ""), uri.replace("file:///v/", ""), version ?? "", shown.slice(0, 20)].join(" ").trim());
        return Promise.resolve();
      },
    }) as unknown as MessageConnection;
  const texts = new Map<string, string>();
  const buffers = new Buffers({
    root: "/v",
    views: () => new Map([...texts].map(([path, text]) => [path, { getViewData: () => text }])),
    connection: () => undefined,
  });
  const flush = (connection: MessageConnection) => {
    buffers.flush(connection);
    return log.splice(0);
  };
  return { buffers, texts, connect, flush };
}

test("an edited note is opened, then changed, and closed when no view shows it", () => {
  const { buffers, texts, connect, flush } = setUp();
  const one = connect("1");
  texts.set("a b.md", "x");
  assert.deepEqual(flush(one), []); // open, but not edited
  buffers.touched("a b.md");
  assert.deepEqual(flush(one), ["1 didOpen a%20b.md 1 x"]);
  buffers.touched("a b.md");
  assert.deepEqual(flush(one), []); // the same text
  texts.set("a b.md", "xy");
  buffers.touched("a b.md");
  assert.deepEqual(flush(one), ["1 didChange a%20b.md 2 xy"]);
  texts.delete("a b.md");
  assert.deepEqual(flush(one), ["1 didClose a%20b.md"]);
  buffers.dispose();
});

test("a server that was started again gets the open notes again", () => {
  const { buffers, texts, connect, flush } = setUp();
  texts.set("a.md", "x");
  buffers.touched("a.md");
  flush(connect("1"));
  assert.deepEqual(flush(connect("2")), ["2 didOpen a.md 1 x"]);
  buffers.dispose();
});

test("a renamed note is closed under its old name and opened under the new one", () => {
  const { buffers, texts, connect, flush } = setUp();
  const one = connect("1");
  texts.set("a.md", "x");
  buffers.touched("a.md");
  flush(one);
  texts.delete("a.md");
  texts.set("b.md", "x");
  buffers.renamed("a.md", "b.md");
  assert.deepEqual(flush(one), ["1 didClose a.md", "1 didOpen b.md 1 x"]);
  buffers.dispose();
});

test("a file that another program changed is sent again only if its view was edited", () => {
  const { buffers, texts, connect, flush } = setUp();
  const one = connect("1");
  texts.set("a.md", "x").set("b.md", "y");
  buffers.touched("a.md");
  flush(one);
  texts.set("a.md", "from outside");
  buffers.saved("a.md");
  buffers.saved("b.md");
  assert.deepEqual(flush(one), ["1 didChange a.md 2 from outside"]);
  buffers.dispose();
});

test("a very long note is searched as it is saved", () => {
  const { buffers, texts, connect, flush } = setUp();
  const one = connect("1");
  texts.set("a.md", "x");
  buffers.touched("a.md");
  flush(one);
  texts.set("a.md", "x".repeat(2_000_001));
  buffers.touched("a.md");
  assert.deepEqual(flush(one), ["1 didClose a.md"]);
  buffers.dispose();
});

test("changes of files are sent together, the last one of each file", () => {
  const sent: object[] = [];
  const hints = new Hints("/v", (params) => sent.push(params));
  hints.add("a.md", CREATED);
  hints.add("a.md", CHANGED);
  hints.add("b.md", DELETED);
  hints.flush();
  hints.flush();
  assert.deepEqual(sent, [{ changes: [{ uri: "file:///v/a.md", type: CHANGED }, { uri: "file:///v/b.md", type: DELETED }] }]);
});

test("of very many changes at once only some are sent", () => {
  const sent: { changes: object[] }[] = [];
  const hints = new Hints("/v", (params) => sent.push(params as { changes: object[] }));
  for (let at = 0; at < 50_000; at += 1) {
    hints.add(`n${at}.md`, CHANGED);
  }
  hints.flush();
  hints.add("later.md", CHANGED);
  hints.flush();
  assert.deepEqual(sent.map(({ changes }) => changes.length), [500, 1]);
});
