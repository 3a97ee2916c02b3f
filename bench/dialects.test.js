import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { send } from "./client.js";
import { dialects } from "./dialects.js";
import { stop } from "./process.js";
import { shortRequest } from "./requests.js";
import { measureRequests, requestScenarios } from "./scenarios/requests.js";
import { removeHome, startCeiling, startCurlew, startFloor, startUpstream } from "./targets/start.js";

let upstream;
let ceiling;
let floor;
let gateway;

beforeAll(async () => {
  upstream = await startUpstream();
  [ceiling, floor, gateway] = await Promise.all([
    startCeiling(upstream),
    startFloor(upstream),
    startCurlew(upstream, { checkout: "." }),
  ]);
});

afterAll(async () => {
  for (const target of [ceiling, floor, gateway]) {
    await target.stop();
    removeHome(target);
  }
  await stop(upstream);
});

/** Masks what differs between replies without changing the length. */
function masked(raw) {
  return raw
    .replace(/[0-9a-f]{32}/g, "0".repeat(32))
    .replace(/("created"|"created_at"|"completed_at"):\d{10}/g, "$1:0")
    .replace(/("message_start".*"input_tokens"):\d\d,/, "$1:00,") // our own estimate
    .split("\n\n");
}

// One delta only: on a busy machine two may arrive together and become one frame.
const kinds = [
  ...Object.values(dialects).map((dialect) => ({ kind: dialect.name, dialect, isStreamed: true })),
  { kind: "chat, whole", dialect: dialects.chat, isStreamed: false },
];

describe.each(kinds)("a ready-made reply in $kind", ({ dialect, isStreamed }) => {
  const body = shortRequest(dialect, "0", { isStreamed });

  it("is what the gateway writes, byte for byte", async () => {
    const [ours, readyMade] = await Promise.all([gateway, ceiling].map((target) => send(target, dialect, body)));
    expect(masked(readyMade.raw)).toEqual(masked(ours.raw));
    expect(Buffer.byteLength(readyMade.raw)).toBe(Buffer.byteLength(ours.raw));
  });

  it("is what the floor writes", async () => {
    const [least, readyMade] = await Promise.all([floor, ceiling].map((target) => send(target, dialect, body)));
    expect(masked(least.raw)).toEqual(masked(readyMade.raw));
  });
});

describe.each(Object.values(dialects))("a request in $name", (dialect) => {
  it("brings the result of a call to the run that waits for it", async () => {
    const scenario = requestScenarios.find(({ name }) => name === `tool-result-${dialect.name}`);
    const { upstreamBytes, runs } = await measureRequests(gateway, upstream, scenario, 2);
    expect(runs).toBe(0);
    expect(upstreamBytes).toBeGreaterThan(2_000);
  });
});

describe("a ready-made delta", () => {
  it("counts on where the dialect numbers its frames", () => {
    const reply = dialects.responses.reply("0", 0);
    expect(reply.delta(" fox", 3)).toContain('"delta":" fox","sequence_number":7}');
    expect(reply.end(" fox", 4)).toContain('"sequence_number":8}');
  });
});
