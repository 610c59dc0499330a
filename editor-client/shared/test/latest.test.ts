import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Latest } from "../latest";

interface Asked {
  readonly question: string;
  readonly signal: AbortSignal;
  readonly onPart: (part: string) => void;
  readonly answer: (whole: string) => void;
  readonly fail: (error: Error) => void;
}

function setUp() {
  mock.timers.enable({ apis: ["setTimeout"] });
  const asked: Asked[] = [];
  const shown: string[] = [];
  const latest = new Latest<string, string>(
    (question, signal, onPart) =>
      new Promise((answer, fail) => {
        asked.push({ question, signal, onPart, answer, fail });
      }),
    (answer, question, isWhole) => shown.push(`${question}: ${answer}${isWhole ? "." : "…"}`),
    (error) => shown.push(String(error)),
    50,
  );
  return { asked, shown, latest };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test("only the last query is sent", () => {
  const { asked, latest } = setUp();
  for (const text of ["o", "or", "orc"]) {
    latest.request(text);
  }
  mock.timers.tick(50);
  assert.deepEqual(asked.map(({ question }) => question), ["orc"]);
  mock.timers.reset();
});

test("a newer request cancels the older one, whose answers are dropped", async () => {
  const { asked, shown, latest } = setUp();
  latest.request("old");
  mock.timers.tick(50);
  latest.request("new");
  assert.equal(asked[0]?.signal.aborted, true);
  mock.timers.tick(50);
  asked[0]?.onPart("late part");
  asked[0]?.answer("late");
  asked[1]?.onPart("first");
  asked[1]?.answer("whole");
  await settled();
  assert.deepEqual(shown, ["new: first…", "new: whole."]);
  mock.timers.reset();
});

test("a failure is shown unless its request was cancelled", async () => {
  const { asked, shown, latest } = setUp();
  latest.request("a");
  mock.timers.tick(50);
  latest.cancel();
  asked[0]?.fail(new Error("cancelled"));
  latest.request("b");
  mock.timers.tick(50);
  asked[1]?.fail(new Error("down"));
  await settled();
  assert.deepEqual(shown, ["Error: down"]);
  mock.timers.reset();
});

test("a search is sent again if the server cancelled it or restarts, but not forever", async () => {
  const { asked, shown, latest } = setUp();
  latest.request("a");
  mock.timers.tick(50);
  for (const code of [-32800, -32097, -32800, -32097]) {
    asked.at(-1)?.fail(Object.assign(new Error("gone"), { code }));
    await settled();
    mock.timers.tick(1_000);
  }
  assert.equal(asked.length, 4);
  assert.deepEqual(shown, ["Error: gone"]);
  mock.timers.reset();
});
