import { createHook } from "node:async_hooks";
import type { Simulator } from "@curlew/simulator/index.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { userTurn } from "../../../testing/backends/scripted/index.js";
import { makeAgentBackend } from "../../../testing/gateway/agent-backend.js";
import { makeGateway } from "../../../testing/gateway/make-gateway.js";
import { assistant, runContext, tool, user } from "../../../testing/samples/sample-turns.js";
import { startSimulator } from "../../../testing/simulator/strict-simulator.js";
import { collect } from "../turn/collect.js";
import type { Turn } from "../turn/turn.js";
import type { Gateway } from "./index.js";

const rounds = (count: number) =>
  Array.from({ length: count }, (_, at) => [user(`${at}?`), assistant(`${at}!`)]).flat();

let simulator: Simulator;
let gateway: Gateway;

beforeAll(async () => {
  simulator = await startSimulator({});
  gateway = makeGateway(makeAgentBackend(simulator.url, { settings: { transport: "h2" } }));
  await run(userTurn("[[say the first turn signs in, connects and lists the models]]"));
});
afterAll(async () => {
  await gateway.close();
  await simulator.close();
});

/** Runs a turn, and counts the HTTP/2 streams opened before its first await. */
async function run(turn: Turn): Promise<{ opened: number; text: string }> {
  let opened = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === "HTTP2STREAM") opened++;
    },
  });
  hook.enable();
  const running = gateway.run(turn, runContext());
  hook.disable();
  const { text } = await collect((await running).events);
  return { opened, text };
}

describe("a turn reaches Cursor in one stretch if everything is at hand", () => {
  it.each([
    ["a short turn", [user("[[say hi]]")]],
    ["a turn with a history", [...rounds(30), user("[[say hi]]")]],
    ["a turn with much text", [user(`${"much ".repeat(40_000)} [[say hi]]`)]],
  ])("%s", async (_, messages) => {
    expect(await run(userTurn("", { messages, tools: [tool("look")] }))).toEqual({ opened: 1, text: "hi" });
  });

  it("a turn that resumes a checkpoint", async () => {
    const first = [user("[[say hello]]")];
    expect(await run(userTurn("", { messages: first }))).toEqual({ opened: 1, text: "hello" });
    const messages = [...first, assistant("hello"), user("[[say hi]]")];
    expect(await run(userTurn("", { messages }))).toEqual({ opened: 1, text: "hi" });
  });
});

describe("a turn yields to other work", () => {
  it.each([
    ["with more than 200 messages", [...rounds(150), user("[[say hi]]")]],
    [
      "with more than 256 KiB of text",
      [user("long ".repeat(40_000)), assistant("ok ".repeat(40_000)), user("[[say hi]]")],
    ],
  ])("%s", async (_, messages) => {
    expect(await run(userTurn("", { messages }))).toEqual({ opened: 0, text: "hi" });
  });
});
