import { readdir } from "node:fs/promises";
import { afterEach, describe, expect, it } from "vitest";
import { startContext, userTurn } from "../../../../testing/backends/scripted/index.js";
import { makeCliBackend } from "../../../../testing/gateway/cli-backend.js";
import { collect } from "../../turn/collect.js";
import type { SentTurn } from "../../turn/turn.js";
import type { Backend } from "../backend.js";
import { useFakeCli } from "./fake-cli.cases.js";
import type { CliSettings } from "./index.js";

const tools = [{ name: "weather", description: "Tells it", inputSchema: { type: "object" } }];
const words = "[[say hello]]";
const image = { type: "image" as const, mimeType: "image/png", data: new Uint8Array([1]) };
const withImage: SentTurn = {
  ...userTurn(words),
  messages: [{ role: "user", content: [image, { type: "text", text: words }] }],
};

const { fake, temporaryFolder } = await useFakeCli();
let backend: Backend;
afterEach(async () => {
  await backend.close();
  expect(await readdir(temporaryFolder)).toEqual([]);
});

async function open(cliMode: CliSettings["cliMode"]): Promise<void> {
  backend = makeCliBackend({ cliMode, cliPath: fake.command, temporaryFolder });
  await backend.models(AbortSignal.timeout(10_000)); // finds the CLI and its version
}

/** The mode in which a turn ran. */
async function wayOf(turn: SentTurn): Promise<string> {
  const before = fake.calls().length;
  const { text } = await collect(backend.start(turn, startContext({ callable: turn.tools })).events());
  expect(text).toBe("hello");
  const words = fake
    .calls()
    .slice(before)
    .flatMap(({ argv }) => argv);
  if (words.includes("acp")) return "acp";
  return words.includes("-p") ? "print" : "none";
}

describe("a turn goes to the CLI", () => {
  it.each<[string, CliSettings["cliMode"], SentTurn, string]>([
    ["in print mode when it is plain", "auto", userTurn(words), "print"],
    ["over ACP when it has tools", "auto", userTurn(words, { tools }), "acp"],
    ["over ACP when it has an image", "auto", withImage, "acp"],
    ["over ACP whenever the settings say so", "acp", userTurn(words), "acp"],
    ["in print mode whenever the settings say so", "print", userTurn(words, { tools }), "print"],
  ])("%s", async (_, mode, turn, way) => {
    await open(mode);
    expect(await wayOf(turn)).toBe(way);
  });

  it("in print mode when the build turns out not to know ACP, and at once from the next turn on", async () => {
    fake.setScenario({ acpUnknown: true });
    await open("auto");
    const turn = userTurn(words, { tools });
    const before = fake.calls().length;
    const { text, finish } = await collect(backend.start(turn, startContext({ callable: tools })).events());
    expect([text, finish]).toEqual(["hello", "stop"]);
    const tried = fake
      .calls()
      .slice(before)
      .filter(({ argv }) => !argv.includes("status"));
    expect(tried.map(({ argv }) => (argv.includes("acp") ? "acp" : "print"))).toEqual(["acp", "print"]);
    expect(await wayOf(turn)).toBe("print");
  });

  it("in print mode without its images, and says so, when the build turns out not to know ACP", async () => {
    fake.setScenario({ acpUnknown: true });
    await open("auto");
    for (const _ of ["found out", "known"]) {
      const exchange = backend.start(withImage, startContext());
      const warnings: string[] = [];
      exchange.onWarning((warning) => warnings.push(warning));
      expect((await collect(exchange.events())).text).toBe("hello");
      expect(warnings).toEqual(["This build of the Cursor CLI takes no images; left out: 1."]);
    }
  });

  it("no more when its client has left before the build turns out not to know ACP", async () => {
    fake.setScenario({ acpUnknown: true });
    await open("auto");
    const before = fake.calls().length;
    const turn = userTurn(words, { tools });
    const left = backend.start(turn, startContext({ callable: tools }));
    const reply = expect(collect(left.events())).rejects.toMatchObject({ code: "canceled" });
    left.close("client-left");
    await reply;
    expect(await wayOf(turn)).toBe("acp"); // this turn waited for the same process
    const printed = fake
      .calls()
      .slice(before)
      .filter(({ argv }) => argv.includes("-p"));
    expect(printed).toHaveLength(1);
  });

  it("and fails there when the settings want ACP from a build that does not know it", async () => {
    fake.setScenario({ acpUnknown: true });
    await open("acp");
    const failing = collect(backend.start(userTurn(words), startContext({})).events());
    await expect(failing).rejects.toMatchObject({ code: "client_outdated" });
  });

  it("in print mode when the build is too old for tools over ACP", async () => {
    fake.setScenario({ version: "2026.01.28-abcdef0", oldBuild: true });
    await open("auto");
    expect(await wayOf(userTurn(words, { tools }))).toBe("print");
  });

  it("from the transcript when the session to resume is gone", async () => {
    await open("print");
    const context = startContext({ state: new TextEncoder().encode("a session of another day") });
    const reply = collect(backend.start(userTurn(words), context).events());
    await expect(reply).rejects.toMatchObject({ code: "session_expired" });
  });
});

it("leaves nothing behind when our own process ends at once", async () => {
  const before = process.listeners("exit");
  await open("auto");
  const [onExit] = process.listeners("exit").filter((listener) => !before.includes(listener));
  const reply = collect(backend.start(userTurn("[[wait 60000]]"), startContext()).events());
  const refused = expect(reply).rejects.toMatchObject({ code: "upstream_error" });
  await expect.poll(() => fake.calls().at(-1)?.argv).toContain("-p");
  onExit?.(0);
  expect(await readdir(temporaryFolder)).toEqual([]);
  await refused;
});
