import assert from "node:assert/strict";
import { test } from "node:test";
import { argumentsOf, offerToAssistants } from "../../src/assistant";
import { lm, workspace, world } from "./vscode";

const nothing = { allow: [], deny: [], include: [], exclude: [] };

test("the assistant's server is started by the program of the language server", () => {
  const command = { program: "python", args: ["-P", "-m", "lsp_server", "serve"], origin: "here" };
  assert.deepEqual(argumentsOf(command, ["/a", "/b"], nothing), ["-P", "-m", "lsp_server", "mcp", "--vault", "/a", "--vault", "/b"]);
});

test("what the assistant may not see is passed on, and what is not searched at all", () => {
  const command = { program: "vaultseek", args: ["serve"], origin: "here" };
  const reach = { allow: ["Work"], deny: ["Private", "#secret"], include: ["*.md"], exclude: ["#draft"] };
  assert.deepEqual(argumentsOf(command, ["/a"], reach)?.slice(3), [
    ...["--allow", "Work", "--deny", "Private", "--deny", "#secret"],
    ...["--include", "*.md", "--exclude", "#draft"],
  ]);
});

test("a program that is started in another way is not guessed", () => {
  assert.equal(argumentsOf({ program: "/own", args: ["--run"], origin: "here" }, ["/a"], nothing), undefined);
});

test("assistants are offered the vaults only if the user has switched it on, and in no untrusted folder", async () => {
  const vaults = [
    { uri: "file:///notes", state: "idle" },
    { uri: "file:///home", state: "refused" },
  ];
  offerToAssistants({ request: <A>() => Promise.resolve({ vaults } as A) }, "1", (message) => {
    assert.equal(message, "");
  });
  const offered = async () => (await lm.providers[0]?.provideMcpServerDefinitions())?.map(({ command, args, env }) => ({ command, args, env }));
  world.settings.set("command", ["/bin/vaultseek", "serve"]);
  assert.deepEqual(await offered(), []);
  world.settings.set("assistant.enabled", true);
  world.settings.set("indexFolder", "/vectors");
  const args = ["mcp", "--vault", "/notes"];
  assert.deepEqual(await offered(), [{ command: "/bin/vaultseek", args, env: { VAULTSEEK_CACHE: "/vectors" } }]);
  workspace.isTrusted = false;
  assert.deepEqual(await offered(), []);
});
