import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { parseScenario, type Scenario } from "../../packages/simulator/cli/scenario.js";

/** A `cursor-agent` in its own folder, to be named by path or put on PATH. */
export interface InstalledCli {
  /** The folder of `cursor-agent` and `agent`. */
  readonly folder: string;
  readonly command: string;
  /** PATH with the folder in front. */
  readonly path: string;
  /** Changes the scenario for the next calls. Options that are left out have their defaults. */
  setScenario(scenario: Partial<Scenario>): void;
  /** The calls so far, oldest first. */
  calls(): RecordedCall[];
  /** The ACP messages so far. */
  messages(): RecordedMessage[];
  /** Removes the folder. */
  close(): void;
}

export interface RecordedCall {
  readonly pid: number;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly envNames: readonly string[];
  readonly stdin: string;
  readonly stdinBytes: number;
}

export interface RecordedMessage {
  readonly pid: number;
  readonly message: { readonly id?: unknown; readonly method?: string; readonly params?: unknown };
}

/**
 * Bundles the command from its sources, so that the tests need no build and test the current sources. One per test file is enough: scenarios can change.
 */
export async function installFakeCli(scenario: Partial<Scenario> = {}): Promise<InstalledCli> {
  const folder = mkdtempSync(join(tmpdir(), "fake-cursor-agent-"));
  const code = join(folder, "code");
  await build({
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    input: { main: "packages/simulator/cli/main.ts" },
    platform: "node",
    output: { dir: code, format: "esm" },
    logLevel: "silent",
  });
  writeFileSync(join(code, "package.json"), JSON.stringify({ type: "module" }));
  const scenarioFile = join(folder, "scenario.json");
  const recordFile = join(folder, "calls.jsonl");
  writeFileSync(recordFile, "");

  const bin = join(folder, "bin");
  mkdirSync(bin);
  // Set here, since drivers pass on only the variables that they know.
  const script = [
    "#!/bin/sh",
    `FAKE_CURSOR_AGENT_SCENARIO='${scenarioFile}' FAKE_CURSOR_AGENT_RECORD='${recordFile}' \\`,
    `exec '${process.execPath}' '${join(code, "main.js")}' "$@"`,
    "",
  ].join("\n");
  for (const name of ["cursor-agent", "agent"]) {
    writeFileSync(join(bin, name), script);
    chmodSync(join(bin, name), 0o755);
  }

  const setScenario = (next: Partial<Scenario>) => {
    parseScenario(next);
    writeFileSync(scenarioFile, JSON.stringify(next));
  };
  const records = () => {
    const lines = readFileSync(recordFile, "utf8").split("\n").filter(Boolean);
    return lines.map((line) => JSON.parse(line) as RecordedCall | RecordedMessage);
  };
  setScenario(scenario);
  return {
    folder,
    command: join(bin, "cursor-agent"),
    path: `${bin}${delimiter}${process.env.PATH ?? ""}`,
    setScenario,
    calls: () => records().filter((record) => "argv" in record),
    messages: () => records().filter((record) => "message" in record),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
