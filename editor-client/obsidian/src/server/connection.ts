// One running server: its process, and the language server protocol over its standard input and output.

import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter, type MessageConnection } from "vscode-jsonrpc/node";
import { ended } from "../../../shared/process";
import { messageOf } from "../../../shared/text";

const GREETING_MS = 30_000; // a program that is no language server never answers
const LAST_WORDS_MS = 300; // a program that it started can keep its output open
const GOODBYE_MS = 5_000; // time to finish writing

/** A server that has answered `initialize`. */
export interface Running {
  readonly connection: MessageConnection;
  readonly child: ChildProcess;
  readonly version: string;
}

/** What a connection needs to know and whom it tells. */
export interface Side {
  /** The parameters of `initialize`. */
  readonly hello: object;
  /** Called once when the process has ended. */
  readonly onEnd: () => void;
  /** Called with each line of the server's log. */
  readonly onLog: (line: string) => void;
  /** Called with a message for the user. */
  readonly onMessage: (message: string) => void;
}

/** Greets a process that was just started; fails if it ends or does not answer. */
export async function connect(child: ChildProcess, { hello, onEnd, onLog, onMessage }: Side): Promise<Running> {
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) {
    throw new Error("The server has no standard input and output.");
  }
  const connection = createMessageConnection(new StreamMessageReader(stdout), new StreamMessageWriter(stdin));
  const gone = new Promise<never>((_resolve, reject) => {
    child.once("exit", (code, signal) => {
      void lastWords(stderr).then(() => {
        reject(new Error(`The server ended (${code === null ? String(signal) : `code ${code}`}).`));
        connection.dispose();
        onEnd();
      });
    });
  });
  gone.catch(() => undefined); // after the greeting nobody waits for it
  connection.onClose(() => {
    child.kill(); // a server that closed its output cannot answer
  });
  connection.onError(([error]) => {
    onLog(messageOf(error));
  });
  stderr.setEncoding("utf8");
  stderr.on("data", (text: string) => {
    text.split("\n").filter((line) => line.trim() !== "").forEach(onLog);
  });
  connection.onNotification("window/logMessage", ({ message }: { message: string }) => {
    onLog(message);
  });
  connection.onNotification("window/showMessage", ({ message }: { message: string }) => {
    onMessage(message);
  });
  for (const method of ["client/registerCapability", "client/unregisterCapability", "window/workDoneProgress/create"]) {
    connection.onRequest(method, () => null);
  }
  connection.listen();
  const greeting = connection.sendRequest<Hello>("initialize", hello).catch((error: unknown) => {
    onLog(messageOf(error)); // often only that nothing can be written to it, while the reason is still on its way
    child.kill();
    return gone;
  });
  const { serverInfo } = await Promise.race([greeting, late()]);
  await connection.sendNotification("initialized", {});
  return { connection, child, version: serverInfo?.version ?? "" };
}

interface Hello {
  readonly serverInfo?: { readonly version?: string };
}

/** Returns when everything that the process printed has been read. */
function lastWords(stderr: Readable): Promise<unknown> {
  const end = new Promise((resolve) => stderr.once("close", resolve));
  return Promise.race([end, new Promise((resolve) => setTimeout(resolve, LAST_WORDS_MS))]);
}

function late(): Promise<never> {
  return new Promise((_resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`The program did not answer as a language server within ${GREETING_MS / 1000} s.`));
    }, GREETING_MS);
    timer.unref();
  });
}

/** Asks the server to end, and ends it if it does not. Never fails. */
export async function farewell({ connection, child }: Running): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, GOODBYE_MS);
  });
  try {
    await Promise.race([connection.sendRequest("shutdown").then(() => connection.sendNotification("exit")), patience]);
  } catch {
    // The connection is broken, so the process is about to end.
  }
  clearTimeout(timer);
  child.stdin?.end();
  await ended(child, GOODBYE_MS);
}
