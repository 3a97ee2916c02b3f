import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWholeSystem, type WholeSystem } from "../../../../testing/gateway/whole-system.js";
import { createColors } from "../../terminal/print.js";
import { askFirst, heldStream } from "./start-step.js";

const key = "a-gateway-key-for-tests";

let system: WholeSystem;
beforeAll(async () => {
  system = await startWholeSystem({}, { key });
});
afterAll(() => system.close());

/** What a terminal would show, and what is returned. */
async function ask(changes: Partial<Parameters<typeof askFirst>[0]> = {}) {
  const texts: string[] = [];
  const output = { write: (text: string) => texts.push(text), isTTY: true };
  const signal = new AbortController().signal;
  const problem = await askFirst(
    { url: system.url, key, model: "auto", signal, colors: createColors(true), ...changes },
    output,
  );
  return { shown: stripVTControlCharacters(texts.join("")), problem };
}

describe("the first question", () => {
  it("is answered over the gateway's API", async () => {
    const { shown, problem } = await ask();
    expect(problem).toBeUndefined();
    expect(shown).toMatch(/^You: Say hello in one short sentence\.\nauto: \S[\s\S]*\S\n$/);
    expect(system.simulator.stats().runs).toBe(1);
  });

  it.each([
    ["a model that the account does not have", { model: "no-such-model" }, /no-such-model/],
    ["a key that is missing", { key: undefined }, /key/],
    ["a gateway that is gone", { url: "http://127.0.0.1:9" }, /fetch failed|bad port/],
  ])("returns why there is no answer: %s", async (_, changes, why) => {
    const { shown, problem } = await ask(changes);
    expect(problem).toMatch(why);
    expect(shown).toMatch(/: \n$/);
  });

  it("shows the text before an error, and returns the error", async () => {
    const frames = [
      { choices: [{ delta: { content: "Hel" } }] },
      { error: { message: "The plan is \u001B[2Jused up." } },
    ];
    const server = createServer((_, response) => {
      response.setHeader("content-type", "text/event-stream");
      response.end(frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join(""));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const { shown, problem } = await ask({ url: `http://127.0.0.1:${port}` });
    server.close();
    expect(shown).toMatch(/auto: Hel\n$/);
    expect(problem).toBe("The plan is \u241B[2Jused up.");
  });
});

describe("lines of the log", () => {
  it("are held back until released, in order", () => {
    const written: string[] = [];
    const stream = heldStream({ write: (line: string) => written.push(line), isTTY: true });
    stream.write("one\n");
    stream.write("two\n");
    expect(written).toEqual([]);
    stream.release();
    stream.write("three\n");
    expect(written).toEqual(["one\n", "two\n", "three\n"]);
    expect(stream.isTTY).toBe(true);
  });
});
