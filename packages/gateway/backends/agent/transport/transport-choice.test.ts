import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../../../testing/manual-clock.js";
import { GatewayError } from "../../../turn/error.js";
import { Http2Refused } from "../../cursor/refusal.js";
import { TransportChoice, type TransportSetting } from "./transport-choice.js";

function startChoice(setting: TransportSetting = "auto") {
  const clock = new ManualClock();
  const reported: string[] = [];
  const choice = new TransportChoice({ setting, clock, log: { warn: (_, message) => reported.push(message) } });
  return { choice, clock, reported };
}

const refused = new Http2Refused("upstream_unreachable", "not by HTTP/2");
const cursor = "https://api2.cursor.sh";

describe("the transport", () => {
  it.each([
    ["http://127.0.0.1:1", "left open", "h1"],
    ["http://127.0.0.1:1", "advised", "h2"],
    ["http://127.0.0.1:1", "advised against", "h1"],
    [cursor, "left open", "h2"],
    [cursor, "advised", "h2"],
    [cursor, "advised against", "h1"],
  ] as const)("at %s is, where HTTP/2 is %s: %s", (url, http2, expected) => {
    expect(startChoice().choice.pick(http2, url)).toBe(expected);
  });

  it.each(["h1", "h2"] as const)("is %s whatever the server says, if that is set", (setting) => {
    const { choice } = startChoice(setting);
    expect(choice.pick("advised", cursor)).toBe(setting);
    expect(choice.pick("advised against", cursor)).toBe(setting);
    expect(choice.goesAround(refused)).toBe(false);
    expect(choice.pick("advised", cursor)).toBe(setting);
    expect(choice.state).toEqual({ name: setting, reason: "set" });
  });

  it("avoids HTTP/2 for ten minutes when a network refuses it, and warns once", () => {
    const { choice, clock, reported } = startChoice();
    for (let round = 0; round < 2; round++) {
      expect(choice.pick("advised", cursor)).toBe("h2");
      expect(choice.goesAround(refused)).toBe(true);
      expect(choice.pick("advised", cursor)).toBe("h1");
      expect(choice.state).toEqual({ name: "h1", reason: "http2-refused" });
      clock.advance(10 * 60_000);
    }
    expect(reported).toEqual(["HTTP/2 is blocked here, using HTTP/1.1"]);
  });

  it("does not change when Cursor is unreachable", () => {
    const { choice } = startChoice();
    expect(choice.goesAround(new GatewayError("upstream_unreachable", "refused", { isRetryable: true }))).toBe(false);
    expect(choice.pick("left open", cursor)).toBe("h2");
  });
});
