import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";
import { type CuttingProxy, startCuttingProxy } from "../testing/network/cutting-proxy.js";

let system: WholeSystem;
let proxy: CuttingProxy;

beforeEach(async () => {
  system = await startWholeSystem({ deltaMs: 1 });
  proxy = await startCuttingProxy(system.url);
});
afterEach(async () => {
  await proxy.close();
  await system.close();
});

const TURNS = 20;
const words = (turn: number) => `turn ${turn}: ${"naïve words that stream one by one, ".repeat(1 + (turn % 4))}end`;

/** A number from 0 to 1 that is the same in every run. */
function chance(turn: number): number {
  return (Math.imul(turn + 1, 0x9e3779b1) >>> 0) / 2 ** 32;
}

/** What an application does whose reply broke off: it asks the same again. */
async function untilWhole<Reply>(ask: () => Promise<Reply>): Promise<Reply> {
  for (let attempts = 0; ; attempts++) {
    try {
      return await ask();
    } catch (thrown) {
      if (attempts === 3) throw thrown;
    }
  }
}

type Ask = (content: string) => Promise<string>;

const clients: { name: string; make: (url: string) => Ask }[] = [
  {
    name: "openai, streamed",
    make: (url) => {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "unused" });
      return async (content) => {
        const messages = [{ role: "user" as const, content }];
        const stream = client.chat.completions.stream({ model: "auto", messages });
        return (await stream.finalContent()) ?? "";
      };
    },
  },
  {
    name: "openai, whole",
    make: (url) => {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "unused" });
      return async (content) => {
        const messages = [{ role: "user" as const, content }];
        const { choices } = await client.chat.completions.create({ model: "auto", messages });
        return choices[0]?.message.content ?? "";
      };
    },
  },
  {
    name: "openai, responses",
    make: (url) => {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "unused" });
      return async (input) => {
        const response = await client.responses.stream({ model: "auto", input }).finalResponse();
        return response.output_text;
      };
    },
  },
  {
    name: "anthropic, streamed",
    make: (url) => {
      const client = new Anthropic({ baseURL: url, apiKey: "unused" });
      return (content) => {
        const messages = [{ role: "user" as const, content }];
        return client.messages.stream({ model: "auto", max_tokens: 1_000, messages }).finalText();
      };
    },
  },
  {
    name: "anthropic, whole",
    make: (url) => {
      const client = new Anthropic({ baseURL: url, apiKey: "unused" });
      return async (content) => {
        const messages = [{ role: "user" as const, content }];
        const message = await client.messages.create({ model: "auto", max_tokens: 1_000, messages });
        return message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
      };
    },
  },
];

describe.each(clients)("$name, behind a proxy that cuts each first attempt at some byte", ({ make }) => {
  it("gets every text whole, with one run per turn", async () => {
    const ask = make(proxy.url);
    // What an answer of this length takes on the wire, so that the cuts fall anywhere in it.
    proxy.cutNextAt(undefined);
    await ask(`[[say ${words(3)}]]`);
    const longestBytes = proxy.lastBytes;
    system.simulator.reset();
    for (let turn = 0; turn < TURNS; turn++) {
      proxy.cutNextAt(1 + Math.floor(chance(turn) * longestBytes));
      const said = await untilWhole(() => ask(`[[say ${words(turn)}]]`));
      expect(said).toBe(words(turn));
      expect({ turn, runs: system.simulator.stats().runs }).toEqual({ turn, runs: turn + 1 });
    }
    expect(proxy.cuts).toBeGreaterThan(TURNS / 2);
  });
});

it("100 pairs of equal but separate requests are 100 pairs of runs", async () => {
  proxy.cutNextAt(undefined);
  const client = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: "unused" });
  for (let pair = 0; pair < 100; pair++) {
    const messages = [{ role: "user" as const, content: `[[say pair ${pair}]]` }];
    const ask = () => client.chat.completions.stream({ model: "auto", messages }).finalContent();
    const said = pair % 2 === 0 ? await Promise.all([ask(), ask()]) : [await ask(), await ask()];
    expect(said).toEqual([`pair ${pair}`, `pair ${pair}`]);
  }
  expect(system.simulator.stats().runs).toBe(200);
});
