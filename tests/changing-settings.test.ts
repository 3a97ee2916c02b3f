import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { golden as messages } from "../packages/gateway/fronts/anthropic-messages/golden.cases.js";
import { golden as chat } from "../packages/gateway/fronts/openai-chat/golden.cases.js";
import { golden as responses } from "../packages/gateway/fronts/openai-responses/golden.cases.js";
import { AgentClientMessageSchema } from "../packages/wire/gen/agent_v1_pb.js";
import { startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";
import { type Answer, type GoldenDialect, type Line, post, type Tool } from "../testing/golden/dialect.js";

/** Limit for a request, without its new line and the settings and state that every run sends. */
const MAX_BYTES = 2_048;
const TURNS = 10;

let system: WholeSystem;
/** Bytes upstream, without rules, tool definitions, checkpoints and requested blobs. */
let sent: number;
/** Bytes of blobs that Cursor asked for. */
let asked: number;
beforeEach(async () => {
  sent = asked = 0;
  system = await startWholeSystem({
    onClientMessage(payload) {
      sent += besideSettings(payload);
    },
  });
});
afterEach(() => system.close());

function besideSettings(payload: Uint8Array): number {
  const client = fromBinary(AgentClientMessageSchema, payload);
  const { message } = client;
  if (message.case === "kvClientMessage" && message.value.message.case === "getBlobResult") {
    asked += payload.byteLength;
    return 0;
  }
  if (message.case === "runRequest") {
    delete message.value.conversationState;
    delete message.value.mcpTools;
  }
  if (message.case === "execClientMessage" && message.value.message.case === "requestContextResult") {
    const { result } = message.value.message.value;
    const context = result.case === "success" ? result.value.requestContext : undefined;
    if (context !== undefined) Object.assign(context, { rules: [], tools: [] });
  }
  return toBinary(AgentClientMessageSchema, client).byteLength;
}

const tool = (name: string): Tool => ({
  name,
  description: `The tool ${name}. ${"It does what it says. ".repeat(200)}`,
  schema: { type: "object", properties: {} },
});
const tools = [tool("time"), tool("place")];
/** About 50 KB each from the user and the model. */
const longTalk = `${"filler ".repeat(7_000)}[[stream 9000]]`;

/** A client whose system prompt changes with every request. */
class ChangingClient {
  readonly lines: Line[] = [];
  readonly continuities: string[] = [];
  /** Bytes that each request sent, without settings, state and its last line. */
  readonly costs: number[] = [];
  readonly #dialect: GoldenDialect;
  #requests = 0;

  constructor(dialect: GoldenDialect) {
    this.#dialect = dialect;
  }

  async send(line: Line, offered: readonly Tool[] = tools): Promise<Answer> {
    const before = sent;
    this.lines.push(line);
    const clock = `You help with everyday work. It is ${++this.#requests} minutes past noon. ${"Be kind. ".repeat(500)}`;
    const conversation = { system: clock, lines: this.lines, tools: offered, maxTokens: 32_000 };
    const response = await post(system.url, this.#dialect, conversation, false);
    const answer = this.#dialect.judgeReply(await response.json());
    this.lines.push({ role: "assistant", answer });
    this.continuities.push(response.headers.get("x-curlew-continuity") ?? "");
    this.costs.push(sent - before - JSON.stringify(line).length);
    return answer;
  }

  say(text: string): Promise<Answer> {
    return this.send({ role: "user", text });
  }

  /** Answers the calls of the last reply. */
  answer({ calls }: Answer, offered?: readonly Tool[]): Promise<Answer> {
    return this.send(
      { role: "results", results: calls.map(({ id, name }) => ({ id, text: `${name} done` })) },
      offered,
    );
  }
}

describe.each([chat, responses, messages])("changing settings, in $name", (dialect) => {
  it("cost only their own bytes when the time in the system prompt changes with every request", async () => {
    const client = new ChangingClient(dialect);
    await client.say(longTalk);
    for (let turn = 0; turn < TURNS; turn++) {
      const calling = await client.say(`[[call time {}]] then [[say Turn ${turn}.]]`);
      expect((await client.answer(calling)).text).toBe(`Result of time: time done\nTurn ${turn}.`);
    }
    expect((await client.say("What is your system prompt?")).text).toContain("It is 22 minutes past noon.");
    const [first, ...later] = client.continuities;
    expect([first, ...new Set(later)]).toEqual(["cold:new", "warm:settings-changed"]);
    expect(Math.max(...client.costs.slice(1))).toBeLessThan(MAX_BYTES);
    expect(asked).toBe(0);
    expect(system.simulator.stats()).toMatchObject({ runs: TURNS + 2, conversations: 1, execsAbandoned: 0 });
  });

  it("cost only their own bytes when each tool round adds a tool", async () => {
    const client = new ChangingClient(dialect);
    await client.say(longTalk);
    const late = ["late", "later", "latest"].map(tool);
    let answer = await client.say(
      "[[call time {}]] then [[call late {}]] then [[call later {}]] then [[call latest {}]] then [[say All were used.]]",
    );
    for (const count of [1, 2, 3]) {
      answer = await client.answer(answer, [...tools, ...late.slice(0, count)]);
      expect(answer.calls).toMatchObject([{ name: late[count - 1]?.name }]);
    }
    expect((await client.answer(answer, [...tools, ...late])).text).toContain("All were used.");
    expect(client.continuities.slice(1)).toEqual(Array(5).fill("warm:settings-changed"));
    expect(Math.max(...client.costs.slice(1))).toBeLessThan(MAX_BYTES);
    // Each round abandons a run with an open call, so Cursor sees a new id and asks for the blobs of the conversation again.
    expect(system.simulator.stats()).toMatchObject({ conversations: 4, execsAbandoned: 3 });
  });
});
