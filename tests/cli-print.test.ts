import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Backend } from "../src/backends/backend.js";
import { newRecord } from "../src/events/index.js";
import type { Gateway } from "../src/gateway/index.js";
import { collect } from "../src/turn/collect.js";
import type { Message, Turn } from "../src/turn/turn.js";
import { userTurn } from "../testing/backends/scripted/index.js";
import { makeCliBackend } from "../testing/gateway/cli-backend.js";
import { makeGateway } from "../testing/gateway/make-gateway.js";
import { type InstalledCli, installFakeCli } from "../testing/simulator/installed-cli.js";

let fake: InstalledCli;
let temporaryFolder: string;
let backend: Backend;
let gateway: Gateway;
beforeAll(async () => {
  fake = await installFakeCli();
  temporaryFolder = await realpath(await mkdtemp(join(tmpdir(), "cli-print-")));
  backend = makeCliBackend({
    cliMode: "print",
    cliPath: fake.command,
    temporaryFolder,
  });
  gateway = makeGateway(backend);
});
afterAll(async () => {
  gateway.close();
  await backend.close();
  for (const folder of [fake.folder, temporaryFolder]) await rm(folder, { recursive: true });
});

async function ask(turn: Turn) {
  const { signal } = new AbortController();
  const reply = await gateway.run(turn, { record: newRecord("g", "test", 0), signal });
  return { ...reply, ...(await collect(reply.events)) };
}

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const assistant = (text: string): Message => ({ role: "assistant", content: [{ type: "text", text }] });
const prompt = () => fake.calls().findLast(({ argv }) => argv.includes("-p"))?.stdin;

describe("a conversation in print mode", () => {
  it("tells all that was said before, and answers the newest message alone", async () => {
    const first = await ask(userTurn("[[say one]]"));
    expect(first).toMatchObject({ backend: "cli", model: "auto", text: "one", continuity: "cold:new" });
    const messages = [user("[[say one]]"), assistant("one"), user("[[say two]]")];
    expect((await ask({ ...userTurn(""), messages })).text).toBe("two");
    expect(prompt()).toContain("<assistant>\none\n</assistant>");
  });

  it("has tools in words: calls that the model writes become calls, and results go back as text", async () => {
    const tools = [{ name: "weather", description: "Tells it", inputSchema: { type: "object" } }];
    const question = '[[call weather {"city":"Oslo"}]] then [[say done]]';
    const { calls, finish } = await ask(userTurn(question, { tools }));
    expect(finish).toBe("tool-calls");
    expect(calls).toMatchObject([{ name: "weather", input: '{"city":"Oslo"}' }]);
    const [call] = calls;
    if (call === undefined) throw new Error("no call");
    const messages: Message[] = [
      user(question),
      { role: "assistant", content: [call] },
      { role: "tool", results: [{ callId: call.id, content: [{ type: "text", text: "4 C" }], isError: false }] },
    ];
    expect((await ask({ ...userTurn(""), tools, messages })).text).toContain("done");
    expect(prompt()).toContain(`<tool_result id="${call.id}">4 C</tool_result>`);
  });

  it("says what it cannot show the model", async () => {
    const image = { type: "image" as const, mimeType: "image/png", data: new Uint8Array([0x89, 0x50, 0x4e, 0x47]) };
    const messages: Message[] = [{ role: "user", content: [image, { type: "text", text: "[[say seen]]" }] }];
    const { text, warnings } = await ask({ ...userTurn(""), messages });
    expect(text).toBe("seen");
    expect(warnings.join()).toMatch(/image/);
  });

  it("has the models that the CLI lists", async () => {
    const models = await gateway.models(AbortSignal.timeout(10_000));
    expect(models.map(({ id }) => id)).toContain("default");
  });
});
