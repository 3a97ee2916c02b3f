import { Agent, type IncomingMessage, request } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { limitsFile } from "../packages/cli/app/prepare/own-files.js";
import { writeLimits } from "../packages/meter/spend/index.js";
import { untilAtRest } from "../testing/at-rest.js";
import { startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";

/** What the simulator is like: live, unless LIKE=plain. */
const like = process.env.LIKE === "plain" ? "plain" : "live";

let system: WholeSystem;
afterEach(() => system.close());

interface Answer {
  text: string;
  isDone: boolean;
}

function open(content: string, agent?: Agent): Promise<IncomingMessage> {
  const body = JSON.stringify({ model: "auto", stream: true, messages: [{ role: "user", content }] });
  return new Promise((resolve, reject) => {
    const sent = request(`${system.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
      ...(agent && { agent }),
    });
    sent.once("response", resolve);
    sent.once("error", reject);
    sent.end(body);
  });
}

async function ask(content: string, agent?: Agent): Promise<Answer> {
  return read(await open(content, agent));
}

async function read(response: IncomingMessage): Promise<Answer> {
  let raw = "";
  response.setEncoding("utf8");
  for await (const part of response) raw += part;
  let text = "";
  for (const line of raw.split("\n")) {
    if (line.startsWith("data: {")) text += JSON.parse(line.slice(6)).choices[0]?.delta?.content ?? "";
  }
  return { text, isDone: raw.endsWith("data: [DONE]\n\n") };
}

/** The deltas of `[[stream N]]` are numbered, which shows lost, duplicated and reordered ones. */
function expectAll(answer: Answer, count: number): void {
  expect(answer.isDone).toBe(true);
  const numbers = answer.text.match(/\d+/g) ?? [];
  expect(numbers).toHaveLength(count);
  const first = Number(numbers[0]);
  expect(numbers.every((each, index) => Number(each) === first + index)).toBe(true);
}

describe("many and fast answers", () => {
  it("of 200 streams with 2,000 deltas each arrive complete and in order with ten streams per session", async () => {
    system = await startWholeSystem({ like, maxStreams: 10 });
    writeLimits(limitsFile(system), { client: { concurrent: 200 } });
    const answers = await Promise.all(Array.from({ length: 200 }, () => ask("[[stream 2000]]")));
    for (const answer of answers) expectAll(answer, 2_000);
  });

  it("of 4 streams with 100,000 deltas each arrive complete", async () => {
    system = await startWholeSystem({ like });
    const answers = await Promise.all(Array.from({ length: 4 }, () => ask("[[stream 100000]]")));
    for (const answer of answers) expectAll(answer, 100_000);
  });

  it("to 5,000 consecutive requests use one HTTP/2 session, without a reset", async () => {
    system = await startWholeSystem({ like });
    const agent = new Agent({ keepAlive: true });
    const lane = async () => {
      for (let each = 0; each < 1_250; each++) expect((await ask("[[say ok]]", agent)).text).toBe("ok");
    };
    await Promise.all([lane(), lane(), lane(), lane()]);
    expect(system.simulator.stats()).toMatchObject({ runs: 5_000, cancelled: 0, runsOpen: 0, sessions: 1 });
    agent.destroy();
  });
});

describe("readers", () => {
  it("that disconnect reset their upstream stream", async () => {
    system = await startWholeSystem({ like });
    for (let round = 1; round <= 21; round++) {
      const response = await open("[[say begun]] [[wait 600000]]");
      await new Promise((resolve) => response.once("data", resolve));
      response.destroy();
      await expect.poll(() => system.simulator.stats().cancelled).toBe(round);
    }
    expect(system.simulator.stats().runsOpen).toBe(0);
  });

  it("that stall apply back-pressure upstream, slow no others, and get everything when they resume", async () => {
    system = await startWholeSystem({ like });
    const deltas = 1_000_000;
    const stalled = await Promise.all(Array.from({ length: 10 }, () => open(`[[stream ${deltas}]]`)));
    for (const response of stalled) response.pause();
    await untilAtRest(() => system.simulator.stats().bytesOut, 200);
    // Socket buffers hold megabytes, but the gateway must not have read everything: a delta has 19 bytes, and 9 more if it is like live.
    expect(system.simulator.stats().bytesOut / 10).toBeLessThan(deltas * 15);
    expect((await ask("[[say not slowed]]")).text).toBe("not slowed");
    for (const response of stalled.slice(1)) response.destroy();
    expectAll(await read(stalled[0] as IncomingMessage), deltas);
  });
});
