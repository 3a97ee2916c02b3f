import { describe, expect, it } from "vitest";
import { golden as first } from "../packages/gateway/fronts/openai-chat/golden.cases.js";
import { parseStream } from "../testing/clients/parse-stream.js";
import { startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";
import { type Answer, type GoldenDialect, type Line, post } from "../testing/golden/dialect.js";
import { onePixel, weather } from "./golden/cases.js";
import { goldenDialects } from "./golden/dialects.js";

const others = goldenDialects.filter(({ path }) => path !== first.path);
const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** The SHA-256 of a piece of the conversation, which is its key. */
const HASH = /^[\w+/]{43}=$/g;

const question: Line = {
  role: "user",
  text: 'Where does it rain? [[call weather {"city":"Kiel"}]] [[call weather {"city":"Bonn"}]] then [[say In Kiel.]]',
  picture: onePixel,
};
const thanks: Line = { role: "user", text: "Thank you. [[say You are welcome.]]" };

/** Asks for the next answer and adds it to the conversation. */
async function ask({ url }: WholeSystem, dialect: GoldenDialect, lines: Line[]): Promise<Answer> {
  const system = "You are a heron.\nYou know the weather.";
  const response = await post(url, dialect, { system, tools: [weather], lines }, true);
  const contentType = response.headers.get("content-type") ?? "";
  const answer = dialect.judgeStream(parseStream(contentType, await response.text()));
  lines.push({ role: "assistant", answer });
  return answer;
}

/** Plays the conversation in one dialect. */
async function converse(dialect: GoldenDialect): Promise<Upstream> {
  const system = await startWholeSystem();
  const lines: Line[] = [question];
  const { calls } = await ask(system, dialect, lines);
  expect(calls).toHaveLength(2);
  lines.push({ role: "results", results: calls.map(({ id }, at) => ({ id, text: at === 0 ? "rain" : "sun" })) });
  await ask(system, dialect, lines);
  lines.push(thanks);
  expect(await ask(system, dialect, lines)).toMatchObject({ text: "You are welcome." });
  return close(system);
}

/** Sends the same conversation to a gateway that does not know it. */
async function retell(dialect: GoldenDialect): Promise<Upstream> {
  const system = await startWholeSystem();
  const said = { thinking: "", calls: [], ending: "stop" } as const;
  const calls = ["Kiel", "Bonn"].map((city) => ({ id: `call_${city}`, name: "weather", input: `{"city":"${city}"}` }));
  const results = calls.map(({ id }, at) => ({ id, text: at === 0 ? "rain" : "sun" }));
  const lines: Line[] = [
    question,
    { role: "assistant", answer: { ...said, thinking: "Two places.", text: "Looking.", calls } },
    { role: "results", results },
    { role: "assistant", answer: { ...said, text: "In Kiel." } },
    thanks,
  ];
  expect(await ask(system, dialect, lines)).toMatchObject({ text: "You are welcome." });
  return close(system);
}

interface Upstream {
  runs: number;
  bytes: number;
  /** Headers and messages of all runs, as JSON. */
  sent: string;
}

async function close(system: WholeSystem): Promise<Upstream> {
  const { runs, bytesIn: bytes } = system.simulator.stats();
  const requests = system.simulator.requests(50).filter(({ path }) => path.endsWith("/Run"));
  await system.close();
  return { runs, bytes, sent: JSON.stringify(requests, withoutTimes, 2) };
}

const withoutTimes = (name: string, value: unknown) => (name === "localExecutionTimeMs" ? 0 : value);

/** Replaces ids by names; equal ids stay equal. */
function nameIds(sent: string, ...patterns: readonly RegExp[]): string {
  const names = new Map<string, string>();
  const nameId = (id: string) => {
    const name = names.get(id) ?? `id ${names.size + 1}`;
    names.set(id, name);
    return name;
  };
  const rename = (text: string) => patterns.reduce((renamed, pattern) => renamed.replace(pattern, nameId), text);
  return JSON.stringify(
    JSON.parse(sent, (_, value) => (typeof value === "string" ? rename(value) : value)),
    null,
    2,
  );
}

describe.each(others)("a conversation through $name", (dialect) => {
  it(`is the same upstream as through ${first.name}, except for ids`, async () => {
    const [wanted, got] = await Promise.all([converse(first), converse(dialect)]);
    // The simulator's states contain random ids, and their keys are hashes of their content.
    expect(nameIds(got.sent, UUID, HASH)).toBe(nameIds(wanted.sent, UUID, HASH));
    expect([got.runs, wanted.runs]).toEqual([2, 2]);
    // Heartbeats and measured times differ, more so on a busy machine, but by less than a message.
    expect(Math.abs(got.bytes - wanted.bytes)).toBeLessThan(500);
  });

  it(`is sent upstream as through ${first.name} when the gateway does not know it`, async () => {
    const [wanted, got] = await Promise.all([retell(first), retell(dialect)]);
    expect(nameIds(got.sent, UUID)).toBe(nameIds(wanted.sent, UUID));
    expect([got.runs, wanted.runs]).toEqual([1, 1]);
    expect(got.bytes).toBe(wanted.bytes);
  });
});

it("shows a system prompt, a picture, tools and results upstream", async () => {
  const { sent } = await converse(first);
  for (const part of ["You are a heron.", onePixel.base64, "The weather of a city.", '"sun"', "Thank you."]) {
    expect(sent).toContain(part);
  }
});
