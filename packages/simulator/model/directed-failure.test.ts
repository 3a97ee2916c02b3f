import { describe, expect, it } from "vitest";
import { detailOf, startRun } from "../../../testing/simulator/agent-client.js";
import { startStand } from "../../../testing/simulator/stand.js";
import { startedEach } from "../../../testing/started.js";

const stand = startedEach(() => startStand());

describe("a directed failure", () => {
  it("comes before any text when it is first, with nothing stored", async () => {
    const client = startRun(stand, "[[fail resource_exhausted ERROR_RATE_LIMITED_CHANGEABLE]] [[say never]]");
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
    const client = startRun(stand, "[[say some]] [[fail unavailable]]");
    const { frame } = await client.ended;
    expect(client.text).toBe("some");
    expect(client.outline).not.toContain("turnEnded");
    expect(frame?.error).toEqual({ code: "unavailable", message: expect.any(String) });
  });

  it.each([
    ["unauthenticated ERROR_NOT_LOGGED_IN", false],
    ["unavailable ERROR_PROVIDER_ERROR", true],
    ["internal timeout", true],
  ])("says whether it is retryable: %s", async (failure, isRetryable) => {
    const client = startRun(stand, `[[fail ${failure}]]`);
    expect(detailOf(await client.ended).details?.isRetryable).toBe(isRetryable);
  });
});
