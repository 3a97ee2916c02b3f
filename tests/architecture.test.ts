import { existsSync, readdirSync, readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadClientList } from "../packages/cli/app/compose.js";
import { loadPdfReader } from "../packages/gateway/core/attachments/index.js";
import { ownPage } from "../packages/page/routes/index.js";
import { type ChatMessage, chat, tool } from "../testing/clients/tool-client.js";
import { startWholeSystem } from "../testing/gateway/whole-system.js";

/** Keeps the path short enough to remember. */
const MOST_STEPS = 25;
/** Limit of all files that run code for these requests. */
const MOST_FILES = 150;

/** They run when a second has passed, or when what is loaded late comes in the middle. */
const mayRun =
  /^packages\/(?:gateway\/(?:core\/attachments\/read-pdf|system\/(?:unless-missing|watched-file))\.ts|meter\/ledger\/upkeep\.ts|page\/(?:routes|views)\/|cli\/setup\/)/;

const root = fileURLToPath(new URL("..", import.meta.url));
const page = readFileSync(join(root, "docs", "architecture.md"), "utf8");
const list = join(root, "tests", "tool-round.txt");

/** The steps of the path, from the first column of its table. */
const [, section = ""] = /^## The path of one request\n(.*?)^## /ms.exec(page) ?? [];
const steps = [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, file = ""]) => file);

/** Direct uses of the clock, randomness or the network. */
const unowned =
  /\bDate\.now\b|\bperformance\.now\b|\bnew Date\(\)|\brandom(?:Bytes|UUID|Int)\b|Math\.random|\bset(?:Timeout|Interval|Immediate)\b|node:(?:https?2?|net|timers)/;

it("the core gets time, ids and connections only from its services", () => {
  const core = ["packages/gateway/core", "packages/gateway/core/sessions", "packages/gateway/core/breaker"].flatMap(
    (room) =>
      readdirSync(join(root, room))
        .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
        .map((name) => `${room}/${name}`),
  );
  const reaching = core.filter((file) => unowned.test(readFileSync(join(root, file), "utf8")));
  // The default ids of the services; tests inject others.
  expect(reaching).toEqual(["packages/gateway/core/sessions/positions.ts"]);
});

describe("the path of one request", () => {
  it("is short enough to remember", () => {
    expect(steps.length).toBeGreaterThan(15);
    expect(steps.length).toBeLessThanOrEqual(MOST_STEPS);
  });

  it("runs the files of tests/tool-round.txt, and no other", async () => {
    const ran = new Set((await playConversation()).flat());
    process.stdout.write(`${ran.size} files ran code\n`);
    const certain = [...ran].filter((file) => !mayRun.test(file)).toSorted();
    await expect(`${certain.join("\n")}\n`).toMatchFileSnapshot(list);
    expect(steps.filter((file) => !ran.has(file))).toEqual([]);
    expect(ran.size).toBeLessThanOrEqual(MOST_FILES);
  });
});

describe("a path on the page, in a README of a package or in CONTRIBUTING.md", () => {
  it("exists", () => {
    const packages = readdirSync(join(root, "packages")).map((name) => join("packages", name, "README.md"));
    const texts = ["CONTRIBUTING.md", ...packages].map((name) => readFileSync(join(root, name), "utf8"));
    const names = [page, ...texts].flatMap((text) =>
      [...text.matchAll(/\b(?:packages|checks|docs|testing|tests)\/[\w./-]*\w/g)].map(([name]) => name),
    );
    const [, decided = ""] = /^## Where it is decided\n(.*?)^## /ms.exec(page) ?? [];
    const files = [...decided.matchAll(/`([^`]+\/[^`]*)`/g)].map(([, name]) => `packages/${name}`);
    expect(files.length).toBeGreaterThan(30);
    expect(names.length).toBeGreaterThan(60);
    expect([...new Set([...names, ...files])].filter((name) => !existsSync(join(root, name)))).toEqual([]);
  });
});

describe("the decisions", () => {
  it("are numbered consecutively, in file names and headings", () => {
    const folder = join(root, "docs", "decisions");
    const numbers = readdirSync(folder).map((name) => [
      Number(/^(\d{4})-/.exec(name)?.[1]),
      Number(/^# (\d+)\. \S/.exec(readFileSync(join(folder, name), "utf8"))?.[1]),
    ]);
    expect(numbers).toEqual(numbers.map((_, index) => [index + 1, index + 1]));
  });

  it("are few, and begin with their date and status", () => {
    const folder = join(root, "docs", "decisions");
    const names = readdirSync(folder);
    const begin = /^# .+\n\n\d{4}-\d\d-\d\d, (?:accepted|superseded)\./;
    expect(names.filter((name) => !begin.test(readFileSync(join(folder, name), "utf8")))).toEqual([]);
    expect(names.length).toBeLessThanOrEqual(15);
  });
});

/** Plays a tool call, its result and the next turn. Returns the files of packages/ that ran code for each request. */
async function playConversation(): Promise<string[][]> {
  const system = await startWholeSystem();
  onTestFinished(system.close);
  const converse = async (topic: string, note: () => Promise<string[]>) => {
    const messages: ChatMessage[] = [];
    const ask = async (message: ChatMessage) => {
      messages.push(message);
      const answer = await chat(system.url, messages, { tools: [tool("add")] });
      messages.push(answer.message);
      return { ...answer, ran: await note() };
    };
    const call = await ask({ role: "user", content: `${topic} [[call add {"a":1}]] [[say done]]` });
    const result = await ask({ role: "tool", tool_call_id: call.calls[0]?.id ?? "", content: "2" });
    const nextTurn = await ask({ role: "user", content: "and [[say goodbye]]" });
    const requests = [call, result, nextTurn];
    expect(requests.map(({ continuity }) => continuity)).toEqual(["cold:new", "warm", "warm"]);
    return requests.map(({ ran }) => ran);
  };

  await converse("Whatever is done only once is done here.", async () => []);
  // Load these now, so that they cannot load during the conversation.
  await Promise.all([loadClientList(), loadPdfReader(), ownPage()]);
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await filesThatRan(session);
  return await converse("And this is the request that is meant.", () => filesThatRan(session));
}

/** The files that ran code since the last call. */
async function filesThatRan(session: Session): Promise<string[]> {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  return result
    .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
    .map(({ url }) => relative(root, url.startsWith("file:") ? fileURLToPath(url) : url).replaceAll(sep, "/"))
    .filter((file) => /^packages\/(?!wire\/gen\/|simulator\/)/.test(file));
}
