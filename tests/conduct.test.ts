import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { limitsFile } from "../packages/cli/app/prepare/own-files.js";
import { writeLimits } from "../packages/meter/spend/index.js";
import { chat, result, tool, user } from "../testing/clients/tool-client.js";
import { startTestGateway, startWholeSystem, type TestSettings } from "../testing/gateway/whole-system.js";
import { installNewNode } from "../testing/programs/new-node.js";
import { installFakeCli } from "../testing/simulator/installed-cli.js";
import { startedOnce } from "../testing/started.js";

const fake = startedOnce(() => installFakeCli());
let node: string;
beforeAll(() => {
  node = installNewNode(fake.folder);
});

const tools = [tool("weather")];
const sdkPath = fileURLToPath(new URL("../testing/programs/fake-sdk.js", import.meta.url));

let gateway: { url: string; close(): Promise<unknown> };
afterEach(() => gateway.close());

interface Health {
  readonly conduct: string;
  readonly backend: string;
  readonly conversations: Record<"openRuns" | "peakRuns" | "waitingRequests" | "parkedRuns", number>;
}

async function health(): Promise<Health> {
  return (await fetch(`${gateway.url}/health`)).json() as Promise<Health>;
}

const inQueue = (count: number) => expect.poll(async () => (await health()).conversations.waitingRequests).toBe(count);

interface Official {
  readonly backend: "cli" | "sdk" | "simulator";
  /** Prompt that makes the model call its tool. */
  readonly call: string;
  readonly settings: () => TestSettings;
}

const officials: Official[] = [
  { backend: "cli", call: "[[call weather {}]]", settings: () => ({ cliPath: fake.command }) },
  { backend: "sdk", call: "call", settings: () => ({ sdkPath, sdkNode: node, quietMs: 20 }) },
  { backend: "simulator", call: "[[call weather {}]]", settings: () => ({}) },
];

describe.each(officials)("careful conduct on $backend", ({ backend, call, settings }) => {
  async function start(changes: TestSettings = {}): Promise<void> {
    gateway = await startWholeSystem({}, { backend, conduct: "careful", ...settings(), ...changes });
  }

  /** Parks a run. Returns a function that sends its result. */
  async function parked(subject: string) {
    const asked = [user(`${call} about ${subject}`)];
    const { message, calls } = await chat(gateway.url, asked, { tools });
    expect(calls).toHaveLength(1);
    return () => chat(gateway.url, [...asked, message, result(calls[0], `hail on ${subject}`)], { tools });
  }

  it("allows two runs at once: a third waits for one to end, results never wait", async () => {
    await start();
    const first = await parked("Monday");
    const second = await parked("Tuesday");
    const third = parked("Wednesday");
    await inQueue(1);
    expect(await first()).toMatchObject({ continuity: "warm", text: expect.stringContaining("hail on Monday") });
    const bring = await third;
    expect((await health()).conversations).toMatchObject({ openRuns: 2, parkedRuns: 2, peakRuns: 2 });
    for (const last of [second, bring]) expect((await last()).continuity).toBe("warm");
    expect(await health()).toMatchObject({
      conduct: "careful",
      backend,
      conversations: { openRuns: 0, peakRuns: 2, waitingRequests: 0 },
    });
  });
});

it("sends Cursor no requests of its own when one of Cursor's programs serves the turns", async () => {
  const system = await startWholeSystem({}, { conduct: "careful", backend: "cli", cliPath: fake.command });
  gateway = system;
  writeLimits(limitsFile(system), { plan: { percent: 1 } });
  await chat(gateway.url, [user("[[say hello]]")]);
  await fetch(`${gateway.url}/v1/models`);
  await health();
  const usage = await (await fetch(`${gateway.url}/v1/usage`)).json();
  expect(usage).toMatchObject({ plan: null, plan_problem: expect.stringContaining("careful conduct") });
  expect(system.simulator.requests(10)).toEqual([]);
});

describe("a turn that fails before its first word", () => {
  const prompts = () => fake.messages().filter(({ message }) => message.method === "session/prompt").length;
  let before: number;
  beforeEach(() => {
    before = prompts();
  });

  it.each([
    ["usual", 2],
    ["careful", 1],
  ] as const)("is sent under %s conduct this many times: %i", async (conduct, times) => {
    gateway = await startWholeSystem({}, { backend: "cli", cliPath: fake.command, conduct });
    const failing = chat(gateway.url, [user(`[[fail unavailable]] for ${conduct}`)], { tools });
    await expect(failing).rejects.toMatchObject({ code: "overloaded" });
    expect(prompts() - before).toBe(times);
  });

  it.each([
    ["usual", "fulfilled"],
    ["careful", "rejected"],
  ] as const)("is retried only under usual conduct, also at the simulator: %s", async (conduct, status) => {
    gateway = await startTestGateway({ settings: { backend: "simulator", conduct, logLevel: "silent" } });
    const [tried] = await Promise.allSettled([chat(gateway.url, [user("[[drop once]]")])]);
    expect(tried.status).toBe(status);
  });
});
