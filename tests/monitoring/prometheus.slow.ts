import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { fencesIn } from "../../testing/fences.js";
import { startWholeSystem, type WholeSystem } from "../../testing/gateway/whole-system.js";
import { findPrometheus, type Prometheus } from "./find-prometheus.js";
import { playTraffic } from "./traffic.js";

const KEY = "a-gateway-key-0123";
const page = readFileSync(fileURLToPath(new URL("../../docs/guide/metrics.md", import.meta.url)), "utf8");
const fences = fencesIn(page, "docs/guide/metrics.md");
const queries = fences.filter(({ mark }) => mark === "query").map(({ code }) => code.trim());
const scrapeConfig = fences.find(({ mark }) => mark === "prometheus.yml")?.code ?? "";

const Answer = z.object({
  data: z.object({ result: z.array(z.object({ value: z.tuple([z.number(), z.string()]) })) }),
});

let programs: Prometheus;
let system: WholeSystem;
let folder = "";
let child: ChildProcess;
let prometheusUrl = "";
let requests = 0;

beforeAll(async () => {
  programs = await findPrometheus();
  folder = mkdtempSync(join(tmpdir(), "curlew-prometheus-"));
  system = await startWholeSystem({}, { key: KEY });
});

afterAll(async () => {
  if (child?.exitCode === null) {
    child.kill("SIGTERM");
    await once(child, "exit");
  }
  await system?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function scrape(): Promise<string> {
  const response = await fetch(`${system.url}/metrics`, { headers: { authorization: `Bearer ${KEY}` } });
  expect(response.status).toBe(200);
  return response.text();
}

/** Runs `promtool check metrics`. */
function check(text: string): Promise<{ code: unknown; printed: string }> {
  return new Promise((resolve) => {
    const running = execFile(programs.promtool, ["check", "metrics"], (failure, stdout, stderr) => {
      resolve({ code: failure?.code ?? 0, printed: stdout + stderr });
    });
    running.stdin?.end(text);
  });
}

/** Starts Prometheus with the guide's configuration. Reads the port from its log. */
async function startPrometheus(): Promise<string> {
  const keyFile = join(folder, "key");
  writeFileSync(keyFile, KEY, { mode: 0o600 });
  const config = scrapeConfig
    .replace("127.0.0.1:32124", new URL(system.url).host)
    .replace(/credentials_file: .+/, `credentials_file: ${keyFile}`);
  const configFile = join(folder, "prometheus.yml");
  writeFileSync(configFile, `global:\n  scrape_interval: 500ms\n  scrape_timeout: 500ms\n${config}`);
  const args = [`--config.file=${configFile}`, `--storage.tsdb.path=${join(folder, "data")}`];
  child = spawn(programs.prometheus, [...args, "--web.listen-address=127.0.0.1:0"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (child.stderr === null) throw new Error("Prometheus has no log.");
  const seen: string[] = [];
  for await (const line of createInterface(child.stderr)) {
    seen.push(line);
    const [, address] = /msg="Listening on" address=(\S+)/.exec(line) ?? [];
    if (address !== undefined) {
      child.stderr.resume();
      return `http://${address}`;
    }
  }
  throw new Error(`Prometheus ended:\n${seen.join("\n")}`);
}

/** The current values of a query. */
async function ask(query: string): Promise<number[]> {
  const response = await fetch(`${prometheusUrl}/api/v1/query?${new URLSearchParams({ query })}`);
  if (!response.ok) throw new Error(`${query}\n${await response.text()}`);
  const { data } = Answer.parse(await response.json());
  return data.result.map(({ value: [, text] }) => Number(text));
}

describe("Debian's Prometheus", () => {
  it("finds no faults, with and without traffic", async () => {
    expect(await check(await scrape())).toEqual({ code: 0, printed: "" });
    requests += await playTraffic(system.url, KEY, 1);
    expect(await check(await scrape())).toEqual({ code: 0, printed: "" });
    expect(await check("curlew_requests 1\n")).toMatchObject({ code: 3 }); // it detects faults
  });

  it("scrapes a gateway under traffic", async () => {
    prometheusUrl = await startPrometheus();
    await expect.poll(() => ask("up{job='curlew'}")).toEqual([1]);
    await expect.poll(() => ask("sum(curlew_requests_total)")).toEqual([requests]);
    requests += await playTraffic(system.url, KEY, 2);
    await expect.poll(() => ask("sum(curlew_requests_total)")).toEqual([requests]);
  });

  it("finds queries in the guide", () => {
    expect(queries.length).toBeGreaterThan(12);
  });

  it.each(queries)("gives a value for %s", async (query) => {
    const values = await ask(query);
    expect(values.length).toBeGreaterThan(0);
    for (const value of values) expect(value).not.toBeNaN();
  });
});
