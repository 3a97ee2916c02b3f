import type { IncomingHttpHeaders } from "node:http";
import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../../testing/manual-clock.js";
import type { Caller } from "../../core/index.js";
import { callerFinder } from "./gateway-key.js";
import { KeyAttempts } from "./key-attempts.js";

const socket = new Socket();
const mine: Caller = { id: "an-id", name: "laptop" };

/** Counts how often a key is hashed and compared. */
function finder(isPassThrough: boolean) {
  const compared: string[] = [];
  const find = (shown: string) => {
    compared.push(shown);
    return shown === "right" ? mine : undefined;
  };
  const finds = callerFinder(
    { anonymous: undefined, find },
    { isPassThrough, attempts: new KeyAttempts(new ManualClock()) },
  );
  return { compared, find: (headers: IncomingHttpHeaders) => finds({ headers, socket }) };
}

describe("the key of a request", () => {
  it.each<[string, IncomingHttpHeaders, string[], boolean]>([
    ["no key", {}, [], false],
    ["the right key as a bearer", { authorization: "Bearer right" }, ["right"], true],
    ["the right key as x-api-key", { "x-api-key": "right" }, ["right"], true],
    ["a wrong key", { authorization: "Bearer wrong" }, ["wrong"], false],
    ["the same key twice", { authorization: "Bearer right", "x-api-key": "right" }, ["right"], true],
    ["the same wrong key twice", { authorization: "Bearer wrong", "x-api-key": "wrong" }, ["wrong"], false],
    ["a right and a wrong key", { authorization: "Bearer right", "x-api-key": "wrong" }, ["right"], true],
    ["a wrong and a right key", { authorization: "Bearer wrong", "x-api-key": "right" }, ["wrong", "right"], true],
    ["another scheme", { authorization: "Basic right" }, [], false],
    ["a key in the header for pass-through", { "x-curlew-key": "right" }, [], false],
  ])("is hashed once: %s", (_, headers, hashed, isFound) => {
    const { compared, find } = finder(false);
    expect(find(headers)).toBe(isFound ? mine : undefined);
    expect(compared).toEqual(hashed);
  });

  it("has its own header in pass-through mode", () => {
    const { compared, find } = finder(true);
    expect(find({ "x-curlew-key": "right", authorization: "Bearer crsr_x" })).toBe(mine);
    expect(find({ authorization: "Bearer right" })).toBeUndefined();
    expect(compared).toEqual(["right"]);
  });

  it("is ignored if the gateway requires none", () => {
    const anonymous: Caller = { id: "", name: undefined };
    const find = () => {
      throw new Error("hashed for nothing");
    };
    const rules = { isPassThrough: false, attempts: new KeyAttempts(new ManualClock()) };
    const headers = { authorization: "Bearer any" };
    expect(callerFinder({ anonymous, find }, rules)({ headers, socket })).toBe(anonymous);
  });
});
