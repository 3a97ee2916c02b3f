import { execFile } from "node:child_process";
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
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadSettings } from "../packages/cli/config/load.js";
import { settingNames, settingsTable, variablesOf } from "../packages/cli/config/table.js";
import { readLimits } from "../packages/meter/spend/index.js";
import { type Fence, fencesOf } from "../testing/fences.js";
import { emptyMachine, mainFile, runCurlew, serveCurlew, startCurlew } from "../testing/programs/curlew-process.js";
import { withGenerated } from "./guide/generated.js";

const GATEWAY_URL = "http://127.0.0.1:32124";
const root = fileURLToPath(new URL("..", import.meta.url));
const guide = join(root, "docs", "guide");
const contributing = join(root, "CONTRIBUTING.md");
const pages = [join(root, "README.md"), contributing, ...markdownBelow(guide)];
const further = ["CHANGELOG.md", "SECURITY.md", "bench/results/README.md"].map((name) => join(root, name));
const allPages = [...new Set([...pages, ...markdownBelow(join(root, "docs")), ...further])];

const fences = pages.flatMap((page) => fencesOf(root, page));

interface Snippet {
  readonly location: string;
  readonly language: "sh" | "js";
  readonly code: string;
  /** Lines that its output must contain; `…` matches anything. */
  readonly output: readonly string[];
}

/** Blocks of shell or JavaScript that are marked `run`; a block marked `output` after one shows its output. */
const snippets = fences.flatMap(({ page, language, mark, code, firstLine }, index): Snippet[] => {
  if (mark !== "run" || (language !== "sh" && language !== "js")) return [];
  const next = fences[index + 1];
  const hasOutput = next?.page === page && next.language === "text" && next.mark === "output";
  const output = hasOutput ? next.code.trim().split("\n") : [];
  return [{ location: `${page}: ${firstLine}`, language, code, output }];
});

describe("a snippet that is marked as runnable", () => {
  it("exists in the README and in the guide", () => {
    expect(snippets.map(({ location }) => location.split(":")[0])).toEqual(
      expect.arrayContaining(["README.md", "docs/guide/simulator.md"]),
    );
  });

  it.each(snippets)("runs: $location", async ({ language, code, output }) => {
    const live = code.includes(GATEWAY_URL) ? code.replaceAll(GATEWAY_URL, (await serveCurlew()).url) : code;
    const printed = await (language === "js" ? runScript(live) : (runPlain(live) ?? runShell(live)));
    expect(printed.trim()).not.toBe("");
    for (const part of output.flatMap((line) => line.split("…"))) expect(printed).toContain(part);
  });
});

it("a fence has only its language; marks for tests are in a comment before it", () => {
  expect(fences.filter(({ shown }) => shown !== "").map(({ page, shown }) => `${page}: ${shown}`)).toEqual([]);
});

describe("a file of tests in the guide", () => {
  const files = fences.filter(({ mark }) => mark === "vitest");

  it("exists for the simulator", () => {
    expect(files.map(({ page }) => page)).toContain("docs/guide/simulator.md");
  });

  it.each(files)("passes: $page, $firstLine", async ({ code }) => {
    const folder = temporaryFolder(join(root, "dist", "docs-"));
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(root, join(folder, "node_modules", "curlew"));
    writeFileSync(join(folder, "cursor.test.ts"), code);
    writeFileSync(join(folder, "vitest.config.mjs"), "export default {};\n"); // otherwise it would use ours
    const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
    const args = [vitest, "run", "--root", folder, "--reporter=json"];
    const { numPassedTests, success } = JSON.parse(await run(process.execPath, args, folder, emptyMachine()));
    expect({ success, numPassedTests }).toEqual({ success: true, numPassedTests: code.match(/^it\(/gm)?.length });
  });
});

describe("a block that is not run", () => {
  const others = fences.filter(({ language, mark }) => language !== "text" && mark !== "run");
  const marked = (name: string) => others.filter(({ mark }) => mark === name);

  it.each(marked("curlew.json"))("is valid settings: $page, $firstLine", ({ code }) => {
    const configFile = join(temporaryFolder(join(tmpdir(), "curlew-docs-")), "curlew.json");
    writeFileSync(configFile, code);
    expect(() => loadSettings({ configFile, env: {} })).not.toThrow();
  });

  it.each(marked("cursor.json"))("is a valid profile overlay: $page, $firstLine", ({ code }) => {
    const home = temporaryFolder(join(tmpdir(), "curlew-docs-"));
    writeFileSync(join(home, "cursor.json"), code);
    expect(() => loadSettings({ home, env: {} })).not.toThrow();
  });

  it.each(marked("limits.json"))("is valid limits: $page, $firstLine", ({ code }) => {
    const path = join(temporaryFolder(join(tmpdir(), "curlew-docs-")), "limits.json");
    writeFileSync(path, code);
    expect(readLimits(path)).toEqual(JSON.parse(code));
  });

  it.each(marked("scenario"))("is a valid scenario: $page, $firstLine", async ({ code }) => {
    const file = join(temporaryFolder(join(tmpdir(), "curlew-docs-")), "scenario.json");
    writeFileSync(file, code);
    const [url] = await startCurlew(["simulate", "--scenario", file]).printed("stdout", /^http:\/\/\S+/);
    expect(await (await fetch(`${url}/__sim/config`)).json()).toMatchObject(JSON.parse(code));
  });

  // `npm run test:clients` uses the blocks on the clients' pages, `npm run test:monitoring` those of Prometheus.
  it("is used by another test, or marked as untested with a reason", async () => {
    const { clients }: { clients: { name: string }[] } = await import(`${root}tests/clients/clients.js`);
    const titles = clients.map(({ name }) => `# ${name}\n`);
    const isOfTestedClient = ({ page, mark }: Fence) =>
      /^(~\/\S+|environment|once)$/.test(mark) &&
      page.startsWith("docs/guide/clients/") &&
      titles.some((title) => readFileSync(join(root, page), "utf8").startsWith(title));
    const isUsed = (fence: Fence) =>
      /^untested: [^`|]+$/.test(fence.mark) ||
      /^(curlew\.json|cursor\.json|limits\.json|scenario|vitest|prometheus\.yml|query)$/.test(fence.mark) ||
      isOfTestedClient(fence);
    expect(others.filter((fence) => !isUsed(fence)).map(({ page, firstLine }) => `${page}: ${firstLine}`)).toEqual([]);
  });
});

describe("a command for contributors", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  // npm runs these itself, before others.
  const commands = Object.keys(scripts).filter((name) => !/^pre(start|test|pack)/.test(name));

  it("is in CONTRIBUTING.md, and every one there exists", () => {
    const named = [...readFileSync(contributing, "utf8").matchAll(/(?:`|^)npm (?:run )?([\w:-]+)/gm)];
    const names = new Set(named.map(([, name = ""]) => name).filter((name) => name !== "ci" && name !== "pack"));
    expect([...names].sort()).toEqual(commands.sort());
  });
});

describe("a variable that the guide names", () => {
  const known = new Set([...settingNames.flatMap((name) => variablesOf(name, settingsTable[name])), "CURLEW_HOME"]);
  const ofOthers = new Set([
    "CURLEW_API_KEY", // Zed's name for the key of a provider "Curlew"
    "CURSOR_DATA_DIR", // the Cursor CLI's
  ]);

  it("is one that Curlew reads", () => {
    // Generated parts come from the code, and may name legacy variables.
    const written = (page: string) => withGenerated(readFileSync(page, "utf8"), () => "");
    const named = pages.flatMap((page) => written(page).match(/\bCUR(?:LEW|SOR)_[A-Z_]+\b/g) ?? []);
    expect([...new Set(named)].filter((name) => !known.has(name) && !ofOthers.has(name))).toEqual([]);
  });
});

describe("a link", () => {
  it.each(allPages)("leads to a page, and to a heading on it: %s", (page) => {
    const links = linksOf(page).filter((to) => !to.startsWith("https:"));
    expect(links.filter((to) => !leadsSomewhere(new URL(to, pathToFileURL(page))))).toEqual([]);
  });

  it("to another site is a valid URL, and never of a Curlew repository, which does not exist", () => {
    const { repository, bugs, homepage } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    expect({ repository, bugs, homepage }).toEqual({});
    const outside = allPages.flatMap(linksOf).filter((to) => to.startsWith("https:"));
    expect(outside.filter((to) => !URL.canParse(to) || /\/curlew\b/i.test(to))).toEqual([]);
  });
});

describe("an installation", () => {
  // The package name is unregistered: installing by name would run whatever is published under it.
  const byName =
    /\b(?:npm|pnpm|yarn|bun)\s+(?:i|install|add|exec)\s+(?:-\S+\s+)*curlew\b(?!-[\dV]|\/)|\b(?:npx|bunx)\s+(?:-\S+\s+)*curlew\b|"plugins?": \["curlew/;
  // The banner may show npx for a Curlew installed in a project.
  const ofProjects = /[\\/]serve[\\/]banner(?:\.test)?\.ts$/;
  const sources = ["packages", "deploy"].flatMap((folder) => filesBelow(join(root, folder)));

  it("is from a checkout or its packed file, never by the unregistered name", () => {
    expect(["npx curlew", "npm install -g curlew", '"plugin": ["curlew"]'].every((text) => byName.test(text))).toBe(
      true,
    );
    expect(byName.test("npm install -g ./curlew-0.1.0.tgz")).toBe(false);
    expect(
      [...allPages, ...sources].filter((file) => !ofProjects.test(file) && byName.test(readFileSync(file, "utf8"))),
    ).toEqual([]);
  });
});

/** The targets of links and pictures, in Markdown and in HTML. */
function linksOf(page: string): string[] {
  const text = readFileSync(page, "utf8");
  const links = text.matchAll(/\]\(([^)\s]+)\)|\b(?:src|srcset|href)="([^"]+)"/g);
  return [...links].map(([, inMarkdown, inHtml]) => inMarkdown ?? inHtml ?? "");
}

function leadsSomewhere(url: URL): boolean {
  if (!existsSync(url)) return false;
  return url.hash === "" || headingsOf(readFileSync(url, "utf8")).includes(url.hash.slice(1));
}

/** The headings as the anchors of Git hosts. */
function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

function markdownBelow(folder: string): string[] {
  return filesBelow(folder).filter((name) => name.endsWith(".md"));
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

/** A command of plain words, and a comment: it means the same without a shell. Names of files need a folder of their own. */
const PLAIN = /^curlew((?: (?!\S+\.[a-z])[\w.-]+)+)(?: +#.*)?$/;

/** Runs a snippet of plain commands in this process; undefined if it has more. */
function runPlain(code: string): Promise<string> | undefined {
  const lines = code.trimEnd().split("\n");
  const commands = lines.map((line) => PLAIN.exec(line)?.[1]?.trim().split(" "));
  return commands.every((words) => words !== undefined) ? runEach(commands) : undefined;
}

async function runEach(commands: readonly (readonly string[])[]): Promise<string> {
  const env = emptyMachine();
  let printed = "";
  for (const words of commands) {
    const { code, stdout, stderr } = await runCurlew(words, { env });
    if (code !== 0) throw new Error(`curlew ${words.join(" ")} ended with ${code}: ${stderr}`);
    printed += stdout;
  }
  return printed;
}

/** Runs a snippet with `curlew` on the PATH, as after an installation, in its own folder. */
function runShell(code: string): Promise<string> {
  const folder = temporaryFolder(join(tmpdir(), "curlew-docs-"));
  symlinkSync(mainFile, join(folder, "curlew"));
  const machine = emptyMachine();
  const env = { ...machine, PATH: `${folder}${delimiter}${machine.PATH}` };
  return run("bash", ["-euo", "pipefail", "-c", code], folder, env);
}

/** The folder is below the project, where `curlew` and `openai` can be imported by name. */
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
  const running = promisify(execFile)(command, args, { cwd, env });
  onTestFinished(() => void running.child.kill("SIGKILL"));
  running.child.stdin?.end();
  return (await running).stdout;
}
