import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { asExpected, type Probe, results, said, user } from "../packages/cli/commands/doctor/live/lab.js";
import { idShapes } from "../packages/cli/commands/doctor/live/plan-probes.js";
import { probeTexts, prompts, tools } from "../packages/cli/commands/doctor/live/probe-texts.js";
import { cancelled, combinators, description } from "../packages/cli/commands/doctor/live/tool-probes.js";
import { oldChat } from "../packages/cli/commands/doctor/live/wire-probes.js";
import { WireWatch } from "../packages/cli/commands/doctor/live/wire-watch.js";
import { GatewayError } from "../packages/gateway/turn/error.js";
import type { TakeOver } from "../packages/simulator/index.js";
import { RUN } from "../packages/wire/messages/calls.js";
import { type Account, probeAccount } from "../testing/gateway/probed-account.js";
import { runCurlew, spawnCurlew } from "../testing/programs/curlew-process.js";
import { laboratoryFile } from "../testing/programs/main-file.js";
import { changedServer } from "../testing/simulator/changed-server.js";
import { openSimulator, type StrictStart } from "../testing/simulator/strict-simulator.js";
import { temporaryFolder } from "../testing/temporary-folder.js";

const shapes = ["id parameters", "id slug", "id base", "id variant"];
const everyProbe = [
  ...["text", "usage", "continuation", "new tool", "thinking", "tool call", "parallel calls", "image"],
  ...["system prompt", "changed prompt", "cancel", "description", "combinators", "combinators", "long name"],
  ...["typed words", "abandoned call", "restart", "history", "http/2 run", "http/1.1 run"],
  ...[...shapes, ...shapes, ...shapes], // of a Claude, a GPT and a Fable model
  ...["old chat", "turn end", "unknown fields"],
];

/** Notes of all results that are not ok, by status, name and claim. */
async function deviations(account: Account): Promise<Record<string, string>> {
  const { results } = await probeAccount(account);
  expect(results).toHaveLength(everyProbe.length);
  return Object.fromEntries(
    results
      .filter(({ status }) => status !== "ok")
      .map(({ name, claim, status, note }) => [`${status} ${name}: ${claim}`, note]),
  );
}

describe("the probes", () => {
  it("pass on the default simulator, and report their turns and runs correctly", async () => {
    const { results, turns, runs, served } = await probeAccount();
    expect(results.map(({ name, status, note }) => `${name} ${status}${status === "ok" ? "" : ` ${note}`}`)).toEqual(
      everyProbe.map((name) => `${name} ok`),
    );
    expect(runs).toBe(served);
    expect(turns).toBe(runs);
  });

  it("contain no directives of the simulator", () => {
    expect(probeTexts.filter((text) => text.includes("[["))).toEqual([]);
  });

  it("pass with the quirks that Curlew handles", async () => {
    const simulator = { refuseCombinators: true, refuseReusedIds: true, approvals: true, blobReferences: true };
    expect(await deviations({ simulator })).toEqual({});
  });

  it("pass on a simulator like live: nothing that it sends is unknown", async () => {
    expect(await deviations({ simulator: { like: "live" } })).toEqual({});
  });

  it("detect that descriptions are withheld from the model", async () => {
    const { results } = await probeAccount({ simulator: { dynamicTools: true }, probes: [description] });
    expect(results).toMatchObject([{ status: "fail", note: expect.stringContaining("by name alone") }]);
  });

  it("detect it also where Cursor has said so, and Curlew writes lines", async () => {
    expect(await deviations({ simulator: { dynamicTools: true } })).toEqual({
      "warn description: The description of a tool reaches the model": expect.stringContaining("Only its first line"),
    });
  });

  it("distinguish a tool's description from its line in Curlew's rule", async () => {
    expect(await deviations({ simulator: { dynamicTools: true }, model: "composer-2.5" })).toEqual({
      "warn description: The description of a tool reaches the model": expect.stringContaining("Only its first line"),
    });
  });

  it("detect that a model refuses combinators that Curlew sends", async () => {
    const overlay = { families: { fable: { schema: { refuses: [] } } } };
    const account = { simulator: { refuseCombinators: true }, overlay, model: "claude-fable-5-high" };
    const { results } = await probeAccount(account);
    expect(results.filter(({ status }) => status !== "ok")).toMatchObject([
      { name: "combinators", status: "fail", note: expect.stringContaining("schema.refuses") },
    ]);
  });

  it("list the refused shapes of a model name", async () => {
    const refused = await deviations({ simulator: { modelIds: "slug" } });
    const note = expect.stringMatching(/refused \(.*Curlew tries another shape/);
    expect(refused).toEqual({
      "warn id parameters: Cursor takes the model as claude-opus-4-8[effort=high,context=200k]": note,
      "warn id base: Cursor takes the model as claude-opus-4-8": note,
      "warn id variant: Cursor takes the model as claude-opus-4-8-high, marked as a variant": note,
      "warn id parameters: Cursor takes the model as gpt-5.5[reasoning=medium]": note,
      "warn id base: Cursor takes the model as gpt-5.5": note,
      "warn id variant: Cursor takes the model as gpt-5.5-medium, marked as a variant": note,
      "warn id parameters: Cursor takes the model as claude-fable-5[effort=high]": note,
      "warn id base: Cursor takes the model as claude-fable-5": note,
      "warn id variant: Cursor takes the model as claude-fable-5-high, marked as a variant": note,
    });
  });

  it("detect streams that stay open after the end of a turn", async () => {
    expect(await deviations({ simulator: { turnEnd: "open" } })).toEqual({
      "warn turn end: Cursor closes the stream soon after turn_ended": expect.stringMatching(
        /^\d+ of \d+ streams had no orderly end/,
      ),
    });
  });

  it("detect that runs fail over HTTP/2", async () => {
    expect(await deviations({ simulator: { transport: "h1" } })).toEqual({
      "fail http/2 run: A run works over HTTP/2": expect.stringMatching(/^\w+: /),
    });
  });

  it("report unknown fields by message and number, also in nested messages", async () => {
    const { "warn unknown fields: Cursor sends nothing that this build does not know": note, ...others } =
      await deviations({ simulator: { drift: true } });
    expect(others).toEqual({});
    for (const name of ["AgentServerMessage 95", "InteractionUpdate 190", "TurnEndedUpdate 113"])
      expect(note).toContain(`${name} (`);
  });

  it.each([
    ["working", "warn", "They answer again"],
    ["hanging", "ok", "never answer"],
    ["retired", "ok", "demand an update"],
  ] as const)("report old chat calls that are %s: %s", async (legacy, status, note) => {
    const { results } = await probeAccount({ simulator: { legacy } });
    const found = results.find(({ name }) => name === "old chat");
    expect(found).toMatchObject({ status, note: expect.stringContaining(note) });
  });

  it("pass with a server that forgets all blobs and asks for them", async () => {
    expect(await deviations({ simulator: { forgetBlobs: true } })).toEqual({});
  });

  it("time out on a turn that does not end, and run the next probe", async () => {
    const { results, runs } = await probeAccount({ simulator: { bootstrapMs: 600_000 }, limitMs: 100 });
    const late = results.filter(({ note }) => note === "It took longer than 0.1 s. Try --long.");
    expect(late.map(({ status, name }) => `${status} ${name}`)).toContain("fail text");
    expect(late.map(({ name }) => name)).toContain("abandoned call");
    expect(runs).toBeLessThanOrEqual(40);
  });

  it("never exceed the limit of runs, for new turns or continued ones", async () => {
    const probe: Probe = {
      claims: [{ name: "many", claim: "Every result takes another run" }],
      turns: 1,
      async *run({ lab }) {
        for (let round = 0; round < 20; round++) {
          const call = { type: "call" as const, id: `call-${round}`, name: tools.weather.name, input: "{}" };
          const messages = [user(prompts.oneCall), said({ text: "", calls: [call] }), results([call])];
          await lab.ask({ messages, tools: [tools.weather] });
        }
        yield asExpected("All were sent.");
      },
    };
    const { results: seen, runs } = await probeAccount({ probes: [probe] });
    expect(seen).toMatchObject([{ status: "skipped", note: "The limit of 13 runs is reached." }]);
    expect(runs).toBe(13);
  });

  it("do not take a finished turn for a cancelled one", async () => {
    const watch = new WireWatch(() => 0);
    watch.open({ method: "POST", path: RUN, http: "2", headers: {} }).ended("end-frame");
    const probe: Probe = { ...cancelled, run: (bench) => cancelled.run({ ...bench, watch }) };
    const { results: seen } = await probeAccount({ probes: [probe] });
    expect(seen).toMatchObject([{ status: "skipped" }]);
  });

  it.each([
    ["sim-error-10", "insufficient_quota"],
    ["sim-error-50", "rate_limit_exceeded"],
  ])("do not take account limits (%s) for a refusal of the request", async (model, code) => {
    const shaped = { base: model, slug: model, withParameters: model };
    const { results: seen } = await probeAccount({ probes: [combinators(`raw/${model}`)] });
    const note = expect.stringMatching(`^${code}: `);
    expect(seen[0]).toMatchObject({ status: "fail", note: expect.not.stringContaining("schema.refuses") });
    expect(seen[0]).toMatchObject({ note });
    const alone = await probeAccount({ probes: [idShapes(shaped)] });
    expect(alone.results).toMatchObject([
      { status: "fail", note },
      { status: "skipped" },
      { status: "skipped" },
      { status: "skipped" },
    ]);
  });

  it.each([
    [404, "ok"],
    [503, "skipped"],
    [undefined, "skipped"],
  ])("report old chat calls that end with HTTP status %s: %s", async (httpStatus, status) => {
    const takeOver: TakeOver = (request, response) => {
      if (!String(request.url).includes("StreamUnifiedChat")) return false;
      if (httpStatus === undefined) response.destroy();
      else response.writeHead(httpStatus).end();
      return true;
    };
    const { results: seen } = await probeAccount({ simulator: { takeOver }, probes: [oldChat] });
    expect(seen).toMatchObject([{ status }]);
  });

  it("stop once Cursor refuses the model", async () => {
    const { results, runs } = await probeAccount({ model: "raw/sim-error-10" });
    expect(results[0]).toMatchObject({ status: "fail", note: expect.stringContaining("insufficient_quota") });
    const tried = results.filter(({ status }) => status !== "skipped").map(({ name }) => name);
    expect(tried).toEqual(["text", "old chat", "unknown fields"]);
    expect(runs).toBe(1);
  });
});

describe("a refusal that comes back each time", () => {
  it("ends the probes after three runs, with one line", async () => {
    const refuse = changedServer({ error: { code: "failed_precondition", message: "The moon is in the way." } });
    let refused = 0;
    const takeOver: TakeOver = (request, response) => {
      const isRefused = refuse(request, response);
      if (isRefused) refused++;
      return isRefused;
    };
    const { results, turns, runs } = await probeAccount({ simulator: { takeOver } });
    expect(refused).toBe(3);
    expect({ turns, runs }).toEqual({ turns: 3, runs: 3 });
    const failed = results.filter(({ status }) => status === "fail");
    expect(failed.map(({ name }) => name)).toEqual(["text", "thinking", "tool call"]);
    for (const { note } of failed) expect(note).toContain("The moon is in the way.");
    expect(results.filter(({ name }) => name === "others")).toMatchObject([
      { status: "skipped", note: "Not tried, because 3 in a row failed alike." },
    ]);
    // What takes no turns is still looked at.
    expect(results.slice(-3).map(({ name }) => name)).toEqual(["old chat", "turn end", "unknown fields"]);
  });

  it("does not end them if its words differ, or if a turn between two works", async () => {
    let asked = 0;
    const probes = ["a", "b", undefined, "b", "b"].map(
      (words, index): Probe => ({
        claims: [{ name: `${index}`, claim: "" }],
        turns: 1,
        async *run() {
          asked++;
          if (words !== undefined) throw new GatewayError("upstream_error", words);
          yield asExpected("");
        },
      }),
    );
    const { results } = await probeAccount({ probes: [...probes, ...probes.slice(3)] });
    expect(asked).toBe(6);
    expect(results.map(({ status }) => status)).toEqual(["fail", "fail", "ok", "fail", "fail", "fail", "skipped"]);
  });
});

const key = "crsr_doctor_0123456789abcdef";

const newHome = () => temporaryFolder();

async function account(simulated: StrictStart = {}) {
  const simulator = await openSimulator(simulated);
  const env = { CURLEW_HOME: newHome(), CURSOR_BACKEND_URL: simulator.url, CURSOR_API_KEY: key, PORT: "0" };
  return { simulator, env };
}

describe("curlew doctor --live", () => {
  it("announces its cost, shows the spend before and after, and writes a report", async () => {
    const { simulator, env } = await account();
    const { code, stdout, stderr } = await runCurlew(["doctor", "--live", "--yes", "--json"], { env });
    expect(code).toBe(0);
    const { probes, spend, report } = JSON.parse(stdout);
    expect(probes.map(({ name }: { name: string }) => name)).toEqual(everyProbe);
    const [, turns, runs] =
      /take at most (\d+) turns of the models auto, claude.*begins after (\d+) runs/s.exec(stderr) ?? [];
    expect(spend.turns).toBeLessThanOrEqual(Number(turns));
    expect(spend.turns).toBeGreaterThan(20);
    expect(Number(runs)).toBeGreaterThan(Number(turns));
    expect(spend.runs).toBe(simulator.stats().runs);
    expect(spend.before).toMatchObject({ percentUsed: expect.any(Number), spentCents: expect.any(Number) });
    expect(spend.after).toMatchObject({ percentUsed: expect.any(Number) });
    await expect.poll(() => simulator.stats().runsOpen).toBe(0);

    expect(report).toBe(join(env.CURLEW_HOME, "state", "doctor-report.json"));
    expect(statSync(report).mode & 0o777).toBe(0o600);
    const text = readFileSync(report, "utf8");
    expect(JSON.parse(text)).toMatchObject({ model: "auto", probes: { length: everyProbe.length } });
    expect(text).not.toMatch(/crsr_doctor|eyJ/);
  });

  it("neither starts the user's MCP servers nor offers their tools", async () => {
    const offered: string[] = [];
    const { env } = await account({
      onClientMessage: (payload) => offered.push(Buffer.from(payload).toString("latin1")),
    });
    const [started, wrapper] = [join(env.CURLEW_HOME, "started"), join(env.CURLEW_HOME, "server.mjs")];
    const program = new URL("../testing/programs/mcp-server.js", import.meta.url).href;
    writeFileSync(
      wrapper,
      `import fs from "node:fs"; fs.writeFileSync(${JSON.stringify(started)}, ""); await import("${program}");`,
    );
    const servers = { spy: { command: process.execPath, args: [wrapper] } };
    writeFileSync(join(env.CURLEW_HOME, "curlew.json"), JSON.stringify({ mcp: { servers } }), { mode: 0o600 });
    const file = join(env.CURLEW_HOME, "capture.jsonl");
    expect(await runCurlew(["doctor", "--live", "--yes", "--capture", file], { env })).toMatchObject({ code: 0 });
    expect(await spawnCurlew(["diff", file], { env, main: laboratoryFile }).finished).toMatchObject({ code: 0 });
    expect(offered.some((message) => message.includes("get_weather"))).toBe(true);
    expect(offered.some((message) => message.includes("mcp__spy"))).toBe(false);
    expect(existsSync(started)).toBe(false);
  });

  it("needs no consent on the built-in simulator, and writes the report to --report", async () => {
    const file = join(newHome(), "report.json");
    const args = ["doctor", "--live", "--backend", "simulator", "--port", "0", "--report", file];
    const { code, stdout, stderr } = await runCurlew(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^Used before: \d.*\n/m);
    expect(stdout).toMatch(/^as expected +parallel calls +A model makes several calls at once\.$/m);
    expect(stdout).toMatch(/^as expected +restart /m);
    expect(stdout).toMatch(/^Used after: \d.*; \d+ turns in \d+ runs$/m);
    expect(stdout).toContain(`The report is in ${file}`);
    expect(existsSync(file)).toBe(true);
  });

  it("prints each result as its probe ends", async () => {
    const { simulator, env } = await account();
    const running = spawnCurlew(["doctor", "--live", "--yes", "--long"], { env });
    await running.printed("stdout", /^as expected +text /m);
    simulator.configure({ bootstrapMs: 600_000 });
    // The first lines are printed although the next turns never end.
    running.signal("SIGTERM");
    const { stdout } = await running.finished;
    expect(stdout).not.toContain("Used after");
  });

  it("makes no runs without consent", async () => {
    const { simulator, env } = await account();
    const { code, stderr } = await runCurlew(["doctor", "--live"], { env });
    expect(code).toBe(2);
    expect(stderr).toMatch(/take at most \d+ turns/);
    expect(stderr).toContain("curlew doctor --live --yes");
    expect(simulator.stats().runs).toBe(0);
  });

  it("makes no runs while a simpler check fails", async () => {
    const { simulator, env } = await account({ exchange: "refuse" });
    const { code, stdout } = await runCurlew(["doctor", "--live", "--yes", "--json"], { env });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ probes: null, spend: null });
    expect(simulator.stats().runs).toBe(0);
  });
});
