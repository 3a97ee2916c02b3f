import { afterEach, describe, expect, it } from "vitest";
import {
  type AgentClient,
  mcpText,
  type RunInit,
  runToEnd,
  startRun,
} from "../../../../testing/simulator/agent-client.js";
import { type Stand, startStand } from "../../../../testing/simulator/stand.js";
import type { SimulatorOptions } from "../../server/options.js";

let stand: Stand;
afterEach(() => stand.close());

const tool = (name: string, description = "") => ({ name, toolName: name, providerIdentifier: "test", description });
const offering = (...tools: ReturnType<typeof tool>[]): RunInit => ({ mcpTools: { mcpTools: tools } });

describe("text injected during a run", () => {
  const steered = async (steering: SimulatorOptions["steering"]) => {
    stand = await startStand({ steering });
    const client = startRun(stand, "[[call look {}]] then [[say as planned]]", offering(tool("look")), {
      silent: ["exec"],
    });
    const { id } = await client.untilExec("mcpArgs");
    const userMessage = { userMessage: { text: "[[say another way]]" } };
    const action = { case: "injectContextAction" as const, value: { injectionId: "steer-1", userMessage } };
    client.send({ case: "conversationAction", value: { action } });
    if (steering !== "ignored") await client.untilUpdate("contextInjectionState");
    client.answerExec(id, mcpText("seen"));
    await client.ended;
    return client;
  };
  const statesOf = ({ messages }: AgentClient) =>
    messages.flatMap(({ message }) => {
      if (message.case !== "interactionUpdate" || message.value.message.case !== "contextInjectionState") return [];
      return [Buffer.from(message.value.message.value.$unknown?.[1]?.data ?? []).toString("hex")];
    });

  it("is acknowledged, and read before the next model call", async () => {
    const client = await steered("delivered");
    expect(client.text).toContain("another way");
    expect(client.text).not.toContain("as planned");
    expect(client.outline).toContain("userMessageAppended");
    expect(statesOf(client)).toEqual(["020a00", "021200"]); // queued, delivered
  });

  it("can be rejected", async () => {
    const client = await steered("rejected");
    expect(client.text).toContain("as planned");
    expect(statesOf(client)).toEqual(["022a00"]);
  });

  it("can be ignored", async () => {
    const client = await steered("ignored");
    expect(client.text).toContain("as planned");
    expect(statesOf(client)).toEqual([]);
  });
});

it("reports the usage of an agent per turn and in total", async () => {
  stand = await startStand();
  await runToEnd(stand, "[[usage 900 10 300 0 0]] [[say one]]", { conversationId: "bird" });
  await runToEnd(stand, "[[usage 500 20 0 0 0]] [[say two]]", { conversationId: "bird" });
  expect(stand.world.agentUsage.of("bird")).toMatchObject({
    totalUsage: { inputTokens: 1_400, outputTokens: 30, cacheReadTokens: 300, totalTokens: 1_430 },
    runs: [{ usage: { totalTokens: 910 } }, { usage: { totalTokens: 520 } }],
  });
  expect(stand.world.agentUsage.of("fish")).toMatchObject({ totalUsage: { totalTokens: 0 }, runs: [] });
});
