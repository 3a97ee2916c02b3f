import { create, fromJson, type JsonValue } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { McpToolDefinitionSchema } from "../../../src/gen/agent_v1_pb.js";
import { AgentClient, type RunInit, userRun } from "../../../testing/simulator/agent-client.js";
import { type Stand, startStand } from "../../../testing/simulator/stand.js";
import { findFamily } from "../../catalogue.js";

let stand: Stand;
beforeEach(async () => {
  stand = await startStand();
  stand.world.isKnownModel = (id) => findFamily(id) !== undefined;
});
afterEach(() => stand.close());

async function run(text: string, more: RunInit = {}) {
  const client = new AgentClient(stand);
  client.send(userRun(text, more));
  return client.ended;
}

describe("the shape of a model's name", () => {
  const names = {
    parameters: { modelId: "gpt-5.5", parameters: [{ id: "reasoning", value: "low" }] },
    slug: { modelId: "gpt-5.5-low" },
    base: { modelId: "gpt-5.5" },
  };
  const shapes = ["parameters", "slug", "base"] as const;

  it.each(shapes)("is refused without a word when only %s is taken", async (taken) => {
    stand.world.options.modelIds = taken;
    for (const shape of shapes) {
      const { frame } = await run("hi", { requestedModel: names[shape] });
      if (shape === taken) expect(frame).toEqual({});
      else expect(frame?.error).toEqual({ code: "not_found", message: "Error" });
    }
    expect((await run("hi", { requestedModel: { modelId: "grok-4.6" } })).frame).toEqual({});
  });

  it("may be refused like a limit", async () => {
    Object.assign(stand.world.options, { modelIds: "base", modelIdError: "resource-exhausted" });
    const { frame } = await run("hi", { requestedModel: names.slug });
    expect(frame?.error).toEqual({ code: "resource_exhausted", message: "Error" });
  });
});

describe("combinators in the schema of a tool", () => {
  const withSchema = (schema: JsonValue, modelId = "default"): RunInit => {
    const inputSchema = fromJson(ValueSchema, schema);
    const definition = create(McpToolDefinitionSchema, { name: "t-look", toolName: "look", inputSchema });
    return { mcpTools: { mcpTools: [definition] }, requestedModel: { modelId } };
  };
  const deep = { type: "object", properties: { at: { type: "array", items: { anyOf: [{}, {}] } } } };

  it("are refused for Fable models alone", async () => {
    stand.world.options.refuseCombinators = true;
    const fable = "claude-fable-5-high";
    expect((await run("hi", withSchema(deep, fable))).frame?.error?.code).toBe("resource_exhausted");
    expect((await run("hi", withSchema(deep))).frame).toEqual({});
    const named = { type: "object", properties: { anyOf: { enum: [{ oneOf: 1 }] } } };
    expect((await run("hi", withSchema(named, fable))).frame).toEqual({});
  });
});

describe("a conversation id", () => {
  it("is refused after a run that ended with an unanswered call", async () => {
    stand.world.options.refuseReusedIds = true;
    const leaving = new AgentClient(stand, { silent: ["exec"] });
    leaving.send(userRun("[[exec 99]]", { conversationId: "one" }));
    await leaving.untilExec(undefined);
    leaving.reset();
    await expect.poll(() => stand.world.stats.execsAbandoned).toBe(1);
    expect((await run("hi", { conversationId: "one" })).frame?.error).toEqual({
      code: "resource_exhausted",
      message: "Error",
    });
    expect((await run("hi", { conversationId: "two" })).frame).toEqual({});
    expect((await run("hi", { conversationId: "two" })).frame).toEqual({});
  });
});
