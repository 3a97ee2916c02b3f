import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { emptyMachine, mainFile, serveCurlew } from "./curlew-process.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const guide = join(root, "docs", "guide");
const pages = [join(root, "README.md"), ...markdownBelow(guide)];
const allPages = [...pages, ...markdownBelow(join(root, "docs")), join(root, "CHANGELOG.md")];

interface Snippet {
  readonly place: string;
  readonly language: "sh" | "js";
  readonly code: string;
  /** Texts that must appear in what it prints. */
  readonly output: readonly string[];
}

/** Fences marked `sh run` or `js run`; a fence marked `text output` after one says what it prints. */
function snippetsOf(page: string): Snippet[] {
  const fences = [...readFileSync(page, "utf8").matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)];
  return fences.flatMap(([, info = "", code = ""], index) => {
    const language = /^(sh|js) run$/.exec(info)?.[1];
    if (language !== "sh" && language !== "js") return [];
    const next = fences[index + 1];
    const output = next?.[1] === "text output" ? (next[2] ?? "").trim().split("\n") : [];
    const place = `${page.slice(root.length)}: ${code.split("\n", 1)[0]}`;
    return [{ place, language, code, output }];
  });
}

const snippets = pages.flatMap(snippetsOf);

describe("a snippet that is marked as runnable", () => {
  it("exists in the README and in the guide", () => {
    expect(snippets.map(({ place }) => place.split(":")[0])).toEqual(
      expect.arrayContaining(["README.md", "docs/guide/simulator.md"]),
    );
  });

  it.each(snippets)("runs: $place", async ({ language, code, output }) => {
    const { url } = await serveCurlew();
    const live = code.replaceAll("http://127.0.0.1:32124", url);
    const printed = await (language === "sh" ? runShell(live) : runScript(live));
    expect(printed.trim()).not.toBe("");
    for (const line of output) expect(printed).toContain(line);
  });
});

describe("a link between pages", () => {
  it.each(allPages)("leads somewhere: %s", (page) => {
    const links = [...readFileSync(page, "utf8").matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, to = ""]) => to);
    const broken = links.filter((to) => !existsSync(new URL(to, pathToFileURL(page))));
    expect(broken).toEqual([]);
  });
});

function markdownBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));
}

/** With `curlew` on the PATH, as after an installation, and in a folder of its own. */
function runShell(code: string): Promise<string> {
  const folder = temporaryFolder(join(tmpdir(), "curlew-docs-"));
  symlinkSync(mainFile, join(folder, "curlew"));
  const machine = emptyMachine();
  const env = { ...machine, PATH: `${folder}${delimiter}${machine.PATH}` };
  return run("bash", ["-euo", "pipefail", "-c", code], folder, env);
}

/** Below the project, where `curlew` and `openai` can be imported by name. */
function runScript(code: string): Promise<string> {
  mkdirSync(join(root, "dist"), { recursive: true });
  const folder = temporaryFolder(join(root, "dist", "docs-"));
  writeFileSync(join(folder, "snippet.mjs"), code);
  return run(process.execPath, ["snippet.mjs"], folder, emptyMachine());
}

function temporaryFolder(prefix: string): string {
  const folder = mkdtempSync(prefix);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function run(command: string, args: string[], cwd: string, env: Record<string, string>): Promise<string> {
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const [exitCode] = await once(child, "close");
  expect({ exitCode, stderr: exitCode === 0 ? "" : stderr }).toEqual({ exitCode: 0, stderr: "" });
  return stdout;
}
