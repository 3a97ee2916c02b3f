import { existsSync, readdirSync, readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { loadClientList } from "../src/app/compose.js";
import { loadPdfReader } from "../src/attachments/index.js";
import { ownPage } from "../src/fronts/page/index.js";
import { type ChatMessage, chat, tool } from "../testing/clients/tool-client.js";
import { startWholeSystem } from "../testing/gateway/whole-system.js";

/** Keeps the path short enough to remember. */
const MOST_FILES_ON_THE_PATH = 60;
/** Limit of all files that run code for these requests, on the path or not. */
const MOST_FILES = 150;

/** Loaded after the start, so their code may or may not run during the test. */
const loadedLate = ["src/fronts/page/", "src/views/", "src/setup/", "src/attachments/"];

const root = fileURLToPath(new URL("..", import.meta.url));
const page = readFileSync(join(root, "docs", "architecture.md"), "utf8");

/** The subsections of the path section; the tables list files in their first column. */
const [, section = ""] = /^## The path of one request\n(.*?)^## /ms.exec(page) ?? [];
const tables = section.split(/^### /m).slice(1);
const legs = tables.filter((text) => text.includes("| File |")).map(filesInTable);
const [beside = ""] = tables.filter((text) => text.startsWith("Beside the path\n"));
const helpers = [...beside.matchAll(/^\| `([^`]+)` \| (.*) \|$/gm)].flatMap(([, room = "", names = ""]) =>
  namesIn(names).map((name) => room + name),
);
const roomsAside = namesIn(beside.replaceAll(/^\|.*$/gm, ""));

/** Direct uses of the clock, randomness or the network. */
const unowned =
  /\bDate\.now\b|\bperformance\.now\b|\bnew Date\(\)|\brandom(?:Bytes|UUID|Int)\b|Math\.random|\bset(?:Timeout|Interval|Immediate)\b|node:(?:https?2?|net|timers)/;

it("the core gets time, ids and connections only from its services", () => {
  const core = ["src/gateway", "src/sessions", "src/breaker"].flatMap((room) =>
    readdirSync(join(root, room))
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .map((name) => `${room}/${name}`),
  );
  const reaching = core.filter((file) => unowned.test(readFileSync(join(root, file), "utf8")));
  // The default ids of the services; tests inject others.
  expect(reaching).toEqual(["src/sessions/positions.ts"]);
});

describe("the path of one request", () => {
  it("is short enough to remember", () => {
    expect(legs.map((files) => files.length > 0)).toEqual([true, true, true, true]);
    expect(new Set(legs.flat()).size).toBeLessThanOrEqual(MOST_FILES_ON_THE_PATH);
  });

  it("names exactly the files that run code for each request", async () => {
    const [call = [], result = [], nextTurn = []] = await playConversation();
    const [comesIn = [], goesOut = [], comesBack = [], turnsAgain = []] = legs;
    // The gateway may store the end of a reply after its client has read it.
    const sinceResult = [...result, ...nextTurn];
    const sinceCall = [...call, ...sinceResult];
    expect([...comesIn, ...goesOut].filter((file) => !sinceCall.includes(file))).toEqual([]);
    expect(comesBack.filter((file) => !sinceResult.includes(file))).toEqual([]);
    expect(turnsAgain.filter((file) => !nextTurn.includes(file))).toEqual([]);

    const ran = new Set(sinceCall);
    const named = new Set([...legs.flat(), ...helpers]);
    const isAside = (file: string) => roomsAside.some((room) => file.startsWith(room));
    expect([...ran].filter((file) => !named.has(file) && !isAside(file))).toEqual([]);
    expect([...named].filter((file) => isAside(file) && !legs.flat().includes(file))).toEqual([]);
    // A settings file is checked only once a second.
    const looksAgain = ["src/unless-missing.ts", "src/watched-file.ts"];
    expect(helpers.filter((file) => !ran.has(file) && !looksAgain.includes(file))).toEqual([]);
    const isIdle = (room: string) => ![...ran].some((file) => file.startsWith(room));
    expect(roomsAside.filter((room) => isIdle(room) && !loadedLate.includes(room))).toEqual([]);
    process.stdout.write(
      `${ran.size} files ran code, ${[...ran].filter(isAside).length} of them in rooms at the side\n`,
    );
    expect(ran.size).toBeLessThanOrEqual(MOST_FILES);
  });
});

describe("a path on the page or in CONTRIBUTING.md", () => {
  it("exists", () => {
    const text = page + readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
    expect([...helpers, ...roomsAside].filter((name) => !existsSync(join(root, name)))).toEqual([]);
    const names = [...text.matchAll(/\b(?:src|simulator|checks|docs|testing|tests)\/[\w./-]*\w/g)].map(
      ([name]) => name,
    );
    expect(names.length).toBeGreaterThan(100);
    expect([...new Set(names)].filter((name) => !existsSync(join(root, name)))).toEqual([]);
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

function namesIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
}

function filesInTable(text: string): string[] {
  return [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, file = ""]) => file);
}

/** Plays a tool call, its result and the next turn. Returns the files of src/ that ran code for each request. */
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
    .filter((file) => file.startsWith("src/") && !file.startsWith("src/gen/"));
}
