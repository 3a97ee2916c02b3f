import { expect, it } from "vitest";
import type { SimulatorStart } from "../packages/simulator/index.js";
import { leaveMidway } from "../testing/clients/post-json.js";
import { chat, result, tool, user } from "../testing/clients/tool-client.js";
import { openWholeSystem, type TestSettings } from "../testing/gateway/whole-system.js";
import { runCurlew } from "../testing/programs/curlew-process.js";

const tools = [tool("look")];

async function start(simulated: SimulatorStart, settings: TestSettings) {
  const system = await openWholeSystem(simulated, settings);
  const env = {
    CURLEW_HOME: system.home,
    CURSOR_BACKEND_URL: system.simulator.url,
    CURSOR_API_KEY: "crsr_whole_system",
    TZ: Intl.DateTimeFormat().resolvedOptions().timeZone, // both count days in the timezone of the machine
  };
  const read = async () => JSON.parse((await runCurlew(["status", "--json"], { env })).stdout);
  return { ...system, env, read };
}

it("shows what the simulator saw: runs, peak, retries, cancelled and abandoned runs", async () => {
  const { url, simulator, env, read } = await start({}, { leaseMs: 1_000 });
  await chat(url, [user("[[say one]]")]);
  await chat(url, [user("[[drop once]]")]);
  const asked = [user("[[call look {}]] first")];
  const waiting = await chat(url, asked, { tools });
  await leaveMidway(`${url}/v1/chat/completions`, { messages: [user("[[say begun]] [[wait 60000]]")] });
  await chat(url, [...asked, waiting.message, result(waiting.calls[0], "seen")], { tools });
  await chat(url, [user("[[call look {}]] and nothing more")], { tools });

  await expect.poll(async () => (await read()).seenToday.abandoned).toEqual({ "lease-expired": 1 });
  const report = await read();
  const { runs, cancelled } = simulator.stats();
  expect([runs, cancelled]).toEqual([6, 2]); // the disconnected client, and the expired lease
  expect(report).toMatchObject({
    conduct: "usual",
    seenToday: { requests: 6, runs, retries: 1, cancelled: 1, abandoned: { "lease-expired": 1 }, peakRuns: 2 },
    notCareful: null,
  });
  const { headers } = simulator.requests(500).findLast(({ path }) => path.includes("AgentService/Run")) ?? {};
  expect(report.sentAs).toMatchObject([
    {
      backend: "agent",
      clientVersion: headers?.["x-cursor-client-version"],
      userAgent: headers?.["user-agent"],
      hosts: [new URL(simulator.url).host],
    },
  ]);

  const { code, stdout } = await runCurlew(["status"], { env });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^runs +6 +one for each message/m);
  expect(stdout).toMatch(/^given up while waiting +1 \(1 lease-expired\)/m);
  expect(stdout).toMatch(/^seen as +agent: cli-/m);

  const careful = await runCurlew(["status", "--conduct", "careful"], { env });
  expect(careful.stdout).toMatch(/^conduct +careful, but not all day: 1 retry, runs of the agent backend$/m);
});

it("works without any requests, and when no gateway could start", async () => {
  const { code, stdout } = await runCurlew(["status", "--conduct", "careful"]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^conduct +careful$/m);
  expect(stdout).toMatch(/^check +Careful conduct allows only Cursor's own programs/m);
  expect(stdout).not.toContain("SEEN BY CURSOR TODAY");
});
