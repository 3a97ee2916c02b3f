import { create } from "@bufbuild/protobuf";
import { AgentRunRequestSchema } from "@curlew/wire/gen/agent_v1_pb.js";
import { ErrorDetails_Error } from "@curlew/wire/gen/aiserver_v1_pb.js";
import { describe, expect, it } from "vitest";
import { AgentClient, detailOf, type RunInit, startRun, userRun } from "../../../../testing/simulator/agent-client.js";
import { startStand } from "../../../../testing/simulator/stand.js";
import { startedEach } from "../../../../testing/started.js";

const stand = startedEach(() => startStand());

describe("a run request", () => {
  const outdated: [string, Record<string, string>][] = [
    ["an editor's version", { "x-cursor-client-version": "3.12.0" }],
    ["no version", { "x-cursor-client-version": "" }],
    ["an unknown kind of client", { "x-cursor-client-type": "ide" }],
    ["a denied version", { "x-cursor-client-version": "sdk-0.9.1" }],
  ];
  it.each(outdated)('with %s gets "Update Required"', async (_name, headers) => {
    stand.world.options.deniedVersions = ["sdk-0.9.1"];
    const client = startRun(stand, "hi", {}, { headers });
    const ending = await client.ended;
    expect(ending.frame?.error).toMatchObject({ code: "permission_denied", message: "Error" });
    expect(detailOf(ending)).toMatchObject({
      error: ErrorDetails_Error.OUTDATED_CLIENT,
      details: { title: "Update Required", isRetryable: false },
    });
  });

  it.each(["cli-2026.10.01-e373342", "sdk-1.0.32"])("of %s is served", async (version) => {
    const headers = { "x-cursor-client-type": version.slice(0, 3), "x-cursor-client-version": version };
    const client = startRun(stand, "hi", {}, { headers });
    expect((await client.ended).frame).toEqual({});
  });

  it.each([
    ["auto", "not_found", ErrorDetails_Error.BAD_MODEL_NAME],
    ["gpt-2", "not_found", ErrorDetails_Error.BAD_MODEL_NAME],
    ["sim-error-50-resource_exhausted", "resource_exhausted", ErrorDetails_Error.RATE_LIMITED],
    ["sim-error-999-internal", "internal", 999],
  ])("for the model %s fails", async (modelId, code, error) => {
    const client = startRun(stand, "hi", { requestedModel: { modelId } });
    const ending = await client.ended;
    expect(ending.frame?.error).toMatchObject({ code, message: "Error" });
    expect(detailOf(ending).error).toBe(error);
    expect(client.messages).toEqual([]);
  });

  it.each([
    ["effort", "zzz", "not-found"],
    ["colour", "red", "not-found"],
    ["effort", "zzz", "resource-exhausted"],
  ] as const)(
    "with the parameter %s=%s, which is not in the model's list, is refused: %s",
    async (id, value, error) => {
      stand.world.options.modelIdError = error;
      const ask = (parameters: { id: string; value: string }[]) =>
        startRun(stand, "hi", { requestedModel: { modelId: "claude-opus-4-8", parameters } }).ended;
      const bare = { code: error.replace("-", "_"), message: "Error" };
      expect(
        (
          await ask([
            { id: "context", value: "200k" },
            { id, value },
          ])
        ).frame?.error,
      ).toEqual(bare);
      expect((await ask([{ id: "effort", value: "low" }])).frame).toEqual({});
    },
  );

  it("may name its model in the older field", async () => {
    const client = startRun(stand, "hi", { requestedModel: { modelId: "" }, modelDetails: { modelId: "composer-2" } });
    expect((await client.ended).frame).toEqual({});
  });

  const bad: [string, RunInit, string][] = [
    ["no state", { conversationId: "x" }, "Conversation state is required"],
    ["no action", { conversationState: {}, requestedModel: { modelId: "default" } }, "Action is required"],
    [
      "no message in its action",
      {
        conversationState: {},
        requestedModel: { modelId: "default" },
        action: { action: { case: "userMessageAction", value: {} } },
      },
      "User message is required",
    ],
  ];
  it.each(bad)("with %s is refused", async (_name, init, message) => {
    const client = new AgentClient(stand);
    client.send({ case: "runRequest", value: create(AgentRunRequestSchema, init) });
    expect((await client.ended).frame?.error).toEqual({ code: "invalid_argument", message });
  });

  it("must come first, and once", async () => {
    const beaten = new AgentClient(stand);
    beaten.send({ case: "clientHeartbeat", value: {} });
    const message = "First message must be a run request";
    expect((await beaten.ended).frame?.error).toEqual({ code: "invalid_argument", message });
    const twice = startRun(stand, "[[wait 60000]]");
    twice.send(userRun("again"));
    expect((await twice.ended).frame?.error?.code).toBe("invalid_argument");
  });

  it("is refused if it is not valid protobuf", async () => {
    const client = new AgentClient(stand);
    client.sendBytes(Buffer.from([0x0a, 0xff]));
    expect((await client.ended).frame?.error).toMatchObject({
      code: "internal",
      message: expect.stringMatching(/^parse binary: /),
    });
  });

  it("may be compressed", async () => {
    const client = startRun(stand, "[[say small]]", {}, { isGzip: true });
    await client.ended;
    expect(client.text).toBe("small");
  });
});
