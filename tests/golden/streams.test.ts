import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeRoutes } from "../../packages/gateway/fronts/dialect.js";
import { dialects } from "../../packages/gateway/fronts/dialects.js";
import { parseStream } from "../../testing/clients/parse-stream.js";
import { startScriptedServer } from "../../testing/gateway/scripted-server.js";
import { startWholeSystem, type WholeSystem } from "../../testing/gateway/whole-system.js";
import { type Answer, type Conversation, type GoldenDialect, post } from "../../testing/golden/dialect.js";
import { VendorShapes } from "../vendors/vendor-shape.js";
import { type GoldenCase, goldenCases } from "./cases.js";
import { described, goldenDialects } from "./dialects.js";
import { NormalForm } from "./normal-form.js";

const shapes = new VendorShapes();
let system: WholeSystem;

/** Streams the answer, judges it and compares it with the recording. `npx vitest run tests/golden/streams -u` records again. */
async function compareStream(
  url: string,
  dialect: GoldenDialect,
  name: string,
  conversation: Conversation,
): Promise<Answer> {
  const response = await post(url, dialect, conversation, true);
  const { status } = response;
  const contentType = response.headers.get("content-type") ?? "";
  const text = await response.text();
  const file = `${import.meta.dirname}/${dialect.name}/${name}`;
  if (!response.ok) {
    dialect.judgeError(status, JSON.parse(text));
    const body = new NormalForm().json(JSON.parse(text));
    await expect(`${JSON.stringify({ status, contentType, body }, null, 2)}\n`).toMatchFileSnapshot(`${file}.json`);
    return { text: "", thinking: "", calls: [], ending: "error" };
  }
  const events = parseStream(contentType, text);
  await expect(
    `: ${status} ${contentType}\n\n${new NormalForm(dialect.deltaPaths).stream(events)}`,
  ).toMatchFileSnapshot(`${file}.sse`);
  return dialect.judgeStream(events);
}

async function readWhole(url: string, dialect: GoldenDialect, conversation: Conversation): Promise<Answer> {
  const response = await post(url, dialect, conversation, false);
  const body: unknown = await response.json();
  if (dialect.shapes !== undefined) shapes.check(response.ok ? dialect.shapes.reply : dialect.shapes.error, body);
  if (response.ok) return dialect.judgeReply(body);
  dialect.judgeError(response.status, body);
  return { text: "", thinking: "", calls: [], ending: "error" };
}

const withoutIds = ({ calls, ...rest }: Answer) => ({ ...rest, calls: calls.map(({ name, input }) => [name, input]) });

async function withServer(script: GoldenCase["script"], use: (url: string) => Promise<void>): Promise<void> {
  if (script === undefined) return use(system.url);
  const server = await startScriptedServer({ steps: script });
  await use(server.url).finally(server.close);
}

it("every dialect that streams has recorded streams, or a reason for having none", () => {
  // A GET replays the bytes that the POST sent.
  const posts = dialects.flatMap(describeRoutes).filter(({ method }) => method === "post");
  const streaming = posts.filter(({ canStream }) => canStream);
  expect(described.map(({ path }) => path).sort()).toEqual(streaming.map(({ path }) => path).sort());
});

describe.each(goldenDialects)("a recorded stream of $name", (dialect) => {
  const cases = goldenCases.filter(({ conversation: { stop } }) => stop === undefined || dialect.canStop);
  // Each dialect has its own gateway: otherwise the breaker would block a turn that failed in another dialect.
  beforeAll(async () => {
    system = await startWholeSystem();
  });
  afterAll(() => system.close());

  it.each(cases)("$name", ({ name, conversation, answer, results, script }) =>
    withServer(script, async (url) => {
      const streamed = await compareStream(url, dialect, name, conversation);
      expect(withoutIds(streamed)).toEqual(answer);
      if (results === undefined) return;
      const lines: Conversation["lines"] = [
        ...conversation.lines,
        { role: "assistant", answer: streamed },
        { role: "results", results: streamed.calls.map(({ id }, at) => ({ id, text: results[at] ?? "" })) },
      ];
      const next = await compareStream(url, dialect, `${name}-results`, { ...conversation, lines });
      expect(next).toMatchObject({ text: expect.stringContaining("Kiel is the wetter one."), ending: "stop" });
    }),
  );

  it.each(cases)("$name gives the same answer without streaming", ({ name, conversation, answer, script }) =>
    withServer(script, async (url) => {
      // An error replaces the whole reply, including the text before it.
      const wanted = name === "error-after" ? { ...answer, text: "" } : answer;
      expect(withoutIds(await readWhole(url, dialect, conversation))).toEqual(wanted);
    }),
  );
});
