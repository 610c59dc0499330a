import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { backOff, Keeper, NoServer, refusalOrGone, ServerGone } from "../keeper";

interface Started {
  readonly signal: AbortSignal;
  readonly onEnd: () => void;
  readonly up: (name: string) => void;
  readonly fail: (error: Error) => void;
}

function setUp() {
  mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const started: Started[] = [];
  const ended: string[] = [];
  const waits: (number | undefined)[] = [];
  const endings: (() => void)[] = [];
  const keeper = new Keeper<string>({
    start: (signal, onEnd) =>
      new Promise((up, fail) => {
        started.push({ signal, onEnd, up, fail });
      }),
    end: async (server) => {
      await new Promise<void>((resolve) => endings.push(resolve));
      ended.push(server);
    },
    onCrash: (waitMs) => waits.push(waitMs),
  });
  return { keeper, started, ended, waits, endings };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

async function running(): Promise<ReturnType<typeof setUp>> {
  const all = setUp();
  const ready = all.keeper.ready();
  all.started[0]?.up("first");
  await ready;
  return all;
}

test("all callers during a start get the same server", async () => {
  const { keeper, started } = setUp();
  const asked = [keeper.ready(), keeper.ready()];
  await settled();
  started[0]?.up("first");
  assert.deepEqual(await Promise.all(asked), ["first", "first"]);
  assert.equal(started.length, 1);
  mock.timers.reset();
});

test("a caller during a restart waits for the new server", async () => {
  const { keeper, started, ended, endings } = await running();
  const restarted = keeper.restart();
  const asked = keeper.ready();
  await settled();
  assert.equal(keeper.current, undefined);
  assert.equal(started.length, 1); // not before the first has ended
  endings[0]?.();
  await settled();
  started[1]?.up("second");
  assert.deepEqual(await Promise.all([asked, restarted]), ["second", "second"]);
  assert.deepEqual([ended, keeper.current], [["first"], "second"]);
  mock.timers.reset();
});

test("several restarts before the old server has ended count as one", async () => {
  const { keeper, started, endings } = await running();
  const restarted = [keeper.restart(), keeper.restart(), keeper.restart()];
  endings[0]?.();
  await settled();
  started[1]?.up("second");
  assert.deepEqual(await Promise.all(restarted), ["second", "second", "second"]);
  assert.equal(started.length, 2);
  mock.timers.reset();
});

test("a restart cancels a hanging start", async () => {
  const { keeper, started, ended, endings } = setUp();
  const asked = keeper.ready();
  const restarted = keeper.restart();
  await settled();
  assert.equal(started[0]?.signal.aborted, true);
  started[1]?.up("second");
  assert.deepEqual(await Promise.all([asked, restarted]), ["second", "second"]);
  started[0].up("late");
  await settled();
  endings[0]?.();
  await settled();
  assert.deepEqual([ended, keeper.current], [["late"], "second"]);
  mock.timers.reset();
});

test("after each crash it waits longer, and callers wait too", async () => {
  const { keeper, started, waits } = await running();
  started[0]?.onEnd();
  const asked = keeper.ready();
  await settled();
  assert.equal(started.length, 1);
  mock.timers.tick(500);
  await settled();
  started[1]?.fail(new Error("it ended at once"));
  await settled();
  mock.timers.tick(1_000);
  await settled();
  started[2]?.up("third");
  assert.equal(await asked, "third");
  assert.deepEqual(waits, [500, 1_000]);
  mock.timers.reset();
});

test("after a long run, a crash counts as the first", async () => {
  const { started, waits } = await running();
  started[0]?.onEnd();
  mock.timers.tick(500);
  await settled();
  started[1]?.up("second");
  await settled();
  mock.timers.tick(61_000);
  started[1]?.onEnd();
  assert.deepEqual(waits, [500, 500]);
  mock.timers.reset();
});

test("a server that keeps crashing is not started again until a restart", async () => {
  const { keeper, started, waits } = setUp();
  const asked = assert.rejects(keeper.ready(), NoServer);
  for (const wait of [500, 1_000, 2_000, 4_000, 8_000, 16_000, 0]) {
    started.at(-1)?.fail(new Error("it ended at once"));
    await settled();
    mock.timers.tick(wait);
    await settled();
  }
  await asked;
  await assert.rejects(keeper.ready(), NoServer);
  assert.deepEqual([waits.at(-1), waits.length, started.length], [undefined, 7, 7]);
  const restarted = keeper.restart();
  await settled();
  started.at(-1)?.up("at last");
  assert.equal(await restarted, "at last");
  mock.timers.reset();
});

test("if there is no server, waiting callers get an error, and a later call tries again", async () => {
  const { keeper, started, waits } = setUp();
  const asked = keeper.ready();
  started[0]?.fail(new NoServer("not installed"));
  await assert.rejects(asked, /not installed/u);
  const again = keeper.ready();
  started[1]?.up("installed");
  assert.equal(await again, "installed");
  assert.deepEqual(waits, []);
  mock.timers.reset();
});

test("a server that ends while it is being stopped did not crash", async () => {
  const { keeper, started, waits, endings } = await running();
  const stopped = keeper.stop();
  started[0]?.onEnd();
  endings[0]?.();
  await stopped;
  await assert.rejects(keeper.ready(), NoServer);
  assert.deepEqual(waits, []);
  mock.timers.reset();
});

test("the error of a server that ended has the code that makes a search repeat", () => {
  assert.equal(new ServerGone().code, -32097);
});

test("only a code of the server itself is a refusal", () => {
  for (const code of [-32602, -32800, -32001]) {
    const refusal = Object.assign(new Error("no"), { code });
    assert.equal(refusalOrGone(refusal), refusal);
  }
  for (const error of [new Error("closed"), ...[-32097, -32098, -32099, 1, 2, "EPIPE"].map((code) => ({ code }))]) {
    assert.ok(refusalOrGone(error) instanceof ServerGone, JSON.stringify(error));
  }
});

test("waiting times grow up to a limit, and then end", () => {
  assert.deepEqual([1, 2, 3, 7].map(backOff), [500, 1000, 2000, undefined]);
});
