import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { summarize } from "../compare.js";
import { performancePage } from "./page.js";
import { buildsTable, ratioTable, repeatTable } from "./tables.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

const targets = [{ name: "ceiling" }, { name: "gateway" }];
const samples = new Map([
  ["ceiling", [{ cpuUs: 100 }, { cpuUs: 200 }, { cpuUs: 100 }]],
  ["gateway", [{ cpuUs: 150 }, { cpuUs: 500 }, { cpuUs: 200 }]],
]);
const scenario = { name: "short", title: "Short", unit: "request", targets: summarize(targets, samples), failures: {} };
const result = {
  name: "first",
  date: "2026-01-01",
  mode: "whole",
  rounds: 3,
  machine: { node: "v20", cores: 2, cpu: "a | b", memoryGiB: 8, kernel: "6", loadBefore: 0 },
  builds: [{ name: "gateway", commit: "abc" }],
  scenarios: [scenario],
};

describe("tables", () => {
  it("show the median ratio of the rounds with its range", () => {
    expect(ratioTable(result).rows).toEqual([["Short", "1.00 [1.00-1.00]", "2.00 [1.50-2.50]"]]);
  });

  it("say how far repeated runs are from each other", () => {
    const slower = structuredClone(result);
    slower.scenarios[0].targets.gateway.cpuUsRatio.median = 2.2;
    expect(repeatTable([result, slower]).rows).toEqual([["Short", "2.00", "2.20", "+10 %"]]);
  });

  it("compare two builds by their medians", () => {
    const builds = ["ceiling", "gateway"].map((name) => ({ name, commit: "abc" }));
    expect(buildsTable({ ...result, builds }).rows).toEqual([["Short", "100.0", "200.0", "+100 %", "-", "-"]]);
  });
});

describe("the page", () => {
  it("has the tables and pictures of a run", () => {
    const files = performancePage([result]);
    expect(Object.keys(files)).toEqual(["performance.md", "performance/requests.svg", "performance/deltas.svg"]);
    expect(files["performance.md"]).toContain("| Short | 1.00 [1.00-1.00] | 2.00 [1.50-2.50] |");
    expect(files["performance.md"]).toContain("Run of 2026-01-01 (upstream plain) at commit abc");
    expect(performancePage([{ ...result, like: "live" }])["performance.md"]).toContain("2026-01-01 (upstream live)");
  });

  // Only committed results are published; local measurements may lie beside them.
  const listed = execFileSync("git", ["ls-files", "bench/results/*.json"], { cwd: root, encoding: "utf8" });
  const results = listed.split("\n").filter(Boolean).sort();

  it("says when there are no figures", () => {
    expect(performancePage([])["performance.md"]).toContain("No figures are published now");
  });

  it("has only figures of known commits, measured since the limits of the gate were renewed", () => {
    const { renewed } = JSON.parse(readFileSync(`${root}/bench/gate-limits.json`, "utf8"));
    expect(Date.parse(renewed)).toBeGreaterThan(0);
    for (const name of results) {
      const { date, builds } = JSON.parse(readFileSync(`${root}/${name}`, "utf8"));
      expect(Date.parse(date), name).toBeGreaterThanOrEqual(Date.parse(renewed));
      for (const { commit } of builds) expect(commit, name).toMatch(/^[0-9a-f]{7,40}( with its page open)?$/);
    }
  });

  it("in docs is the one that bench/write-docs.js makes of the kept results", () => {
    const files = performancePage(results.map((name) => JSON.parse(readFileSync(`${root}/${name}`, "utf8"))));
    for (const [name, text] of Object.entries(files)) expect(readFileSync(`${root}/docs/${name}`, "utf8")).toBe(text);
  });
});
