import { fromBinary } from "@bufbuild/protobuf";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ErrorDetailsSchema } from "../../src/gen/aiserver_v1_pb.js";
import { AgentClient, type Ending, userRun } from "../../testing/simulator/agent-client.js";
import { type Stand, startStand } from "../../testing/simulator/stand.js";

let stand: Stand;
beforeEach(async () => {
  stand = await startStand();
});
afterEach(() => stand.close());

function detailOf({ frame }: Ending) {
  const [detail] = frame?.error?.details ?? [];
  return fromBinary(ErrorDetailsSchema, Buffer.from(detail?.value ?? "", "base64"));
}

describe("a directed failure", () => {
  it("stands before any text when it stands first, with nothing stored", async () => {
    const client = new AgentClient(stand);
    client.send(userRun("[[fail resource_exhausted ERROR_RATE_LIMITED_CHANGEABLE]] [[say never]]"));
    const ending = await client.ended;
    expect(client.outline).toEqual(["execServerMessage"]);
    expect(ending.frame?.error).toMatchObject({
      code: "resource_exhausted",
      message: "Error",
      details: [
        {
          type: "aiserver.v1.ErrorDetails",
          debug: {
            error: "ERROR_RATE_LIMITED_CHANGEABLE",
            details: { title: "Named models unavailable", isRetryable: false },
            isExpected: true,
          },
        },
      ],
    });
    expect(detailOf(ending).details?.additionalInfo).toEqual({ autoSwitchToModel: "default" });
  });

  it("can come after some words, and without details", async () => {
    const client = new AgentClient(stand);
    client.send(userRun("[[say some]] [[fail unavailable]]"));
    const { frame } = await client.ended;
    expect(client.text).toBe("some");
    expect(client.outline).not.toContain("turnEnded");
    expect(frame?.error).toEqual({ code: "unavailable", message: expect.any(String) });
  });

  it.each([
    ["unauthenticated ERROR_NOT_LOGGED_IN", false],
    ["unavailable ERROR_PROVIDER_ERROR", true],
    ["internal timeout", true],
  ])("tells whether it is worth another attempt: %s", async (failure, isRetryable) => {
    const client = new AgentClient(stand);
    client.send(userRun(`[[fail ${failure}]]`));
    expect(detailOf(await client.ended).details?.isRetryable).toBe(isRetryable);
  });
});
