import { exec } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { startWholeSystem } from "../../testing/gateway/whole-system.js";
import { npmFolder } from "../../testing/programs/npm-folder.js";
import { startedOnce } from "../../testing/started.js";

// OpenAI's Agents SDK from npm, unmodified. It is no dependency, so its types are not here.
const PACKAGES = ["@openai/agents@0.20.0", "openai@7.55.0", "zod@4.6.7"];

vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

const system = startedOnce(() => startWholeSystem());
beforeEach(() => system.simulator.reset());

let sdk: ReturnType<typeof load>;
beforeAll(async () => {
  sdk = load(await npmFolder("agents-sdk", PACKAGES));
});

function load(folder: string) {
  const loadFrom = createRequire(join(folder, "package.json"));
  const agents = loadFrom("@openai/agents");
  const client = new (loadFrom("openai"))({ baseURL: `${system.url}/v1`, apiKey: "unused", maxRetries: 0 });
  agents.setDefaultOpenAIClient(client);
  agents.setTracingDisabled(true);
  return { ...agents, client, z: loadFrom("zod").z };
}

const runCommand = promisify(exec);

/** A shell as an application writes it. */
const shell = {
  async run({ commands }: { commands: string[] }) {
    const run = async (command: string) => {
      const { code = 0, stdout, stderr } = await runCommand(command).catch((failure) => failure);
      return { stdout, stderr, outcome: { type: "exit", exitCode: code } };
    };
    return { output: await Promise.all(commands.map(run)) };
  },
};

function newAgent(...tools: object[]) {
  return new sdk.Agent({ name: "test", model: "auto", instructions: "Be brief.", tools });
}

async function answer(agent: object, text: string, options: { stream: boolean; session?: object }): Promise<string> {
  const result = await sdk.run(agent, text, { maxTurns: 20, ...options });
  if (options.stream) await result.completed;
  return result.finalOutput;
}

const call = (name: string, input: object) => `[[call ${name} ${JSON.stringify(input)}]]`;

const ways = [
  { way: "whole", stream: false },
  { way: "streamed", stream: true },
];
describe.each(ways)("OpenAI's Agents SDK, answers $way,", ({ stream }) => {
  it("runs shell commands in one run", async () => {
    const rounds = [["echo one"], ["echo two", "echo no >&2; exit 3"]].map((commands) => call("shell", { commands }));
    const agent = newAgent(sdk.shellTool({ shell }));
    const text = await answer(agent, `${rounds.join(" then ")} then [[say done]]`, { stream });
    expect(text).toBe("Result of shell: two\n\nExit code 0.\nstderr:\nno\n\nExit code 3.\ndone");
    expect(system.simulator.stats().runs).toBe(1);
  });

  it("applies patches in one run", async () => {
    const files = new Map<string, string>();
    const save = (mode?: "create") => (operation: { path: string; diff: string }) => {
      files.set(operation.path, sdk.applyDiff(files.get(operation.path) ?? "", operation.diff, mode));
      return { status: "completed", output: `wrote ${operation.path}` };
    };
    const editor = { createFile: save("create"), updateFile: save(), deleteFile: () => ({ status: "failed" }) };
    const rounds = [
      { type: "create_file", path: "a.txt", diff: "+one\n+two\n" },
      { type: "update_file", path: "a.txt", diff: "@@\n one\n-two\n+three\n" },
      { type: "delete_file", path: "a.txt" },
    ].map((operation) => call("apply_patch", operation));
    const agent = newAgent(sdk.applyPatchTool({ editor }));
    expect(await answer(agent, rounds.join(" then "), { stream })).toContain("The patch failed.");
    expect(files).toEqual(new Map([["a.txt", "one\nthree"]]));
    expect(system.simulator.stats().runs).toBe(1);
  });

  it("keeps a session in a conversation, one run for each message", async () => {
    const parameters = sdk.z.object({ a: sdk.z.number() });
    const add = sdk.tool({
      name: "add",
      description: "Adds.",
      parameters,
      execute: ({ a }: { a: number }) => `${a + 1}`,
    });
    const agent = newAgent(add, sdk.shellTool({ shell }));
    const session = new sdk.OpenAIConversationsSession({ client: sdk.client });
    const say = (text: string) => answer(agent, text, { stream, session });
    // More items than OpenAI takes at once.
    const many = Array.from({ length: 12 }, (_, a) => call("add", { a }));
    await say("My word is cobalt.");
    expect(await say(`${many.join(" then ")} then [[say added]]`)).toContain("added");
    expect(await say(`${call("shell", { commands: ["echo hi"] })} ${call("add", { a: 7 })}`)).toContain("8");
    expect(await say("And now?")).toContain("My word is cobalt.");
    expect(system.simulator.stats()).toMatchObject({ runs: 4, conversations: 1 });
    const kinds: string[] = (await session.getItems()).map(({ type }: { type: string }) => type);
    expect(kinds.filter((kind) => kind === "function_call")).toHaveLength(13);
    expect(kinds).toEqual(expect.arrayContaining(["shell_call", "shell_call_output"]));
    expect(await session.popItem()).toMatchObject({ role: "assistant" });
    expect(await session.getItems()).toHaveLength(kinds.length - 1);
    await session.clearSession();
  });
});
