import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Gateway } from "../packages/gateway/core/index.js";
import { SpendGuard } from "../packages/meter/spend/index.js";
import type { Simulator } from "../packages/simulator/index.js";
import { postJson } from "../testing/clients/post-json.js";
import { makeAgentBackend } from "../testing/gateway/agent-backend.js";
import { makeGateway } from "../testing/gateway/make-gateway.js";
import { type ServedGateway, serveGateway } from "../testing/gateway/serve-gateway.js";
import { ManualClock } from "../testing/manual-clock.js";
import { startSimulator } from "../testing/simulator/strict-simulator.js";

const REPEATS = 150;
const WITHIN_MS = 40_000;
/** Limit of runs that may reach Cursor. */
const MAX_REACHED = 8;

let simulator: Simulator;
let clock: ManualClock;
let gateway: Gateway;
let server: ServedGateway;

beforeEach(async () => {
  simulator = await startSimulator();
  clock = new ManualClock();
  gateway = makeGateway(makeAgentBackend(simulator.url, { clock }), { clock });
  server = await serveGateway(gateway, { clock });
});
afterEach(async () => {
  await server.close();
  await gateway.close();
  await simulator.close();
});

interface Ask {
  model?: string;
  content?: string;
  system?: string;
  maxTokens?: number;
}

async function post({ model = "auto", content = "hi", system = "You help.", maxTokens }: Ask): Promise<number> {
  const response = await postJson(`${server.url}/v1/chat/completions`, {
    model,
    messages: [
      { role: "system", content: system },
      { role: "user", content },
    ],
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
  });
  await response.text();
  return response.status;
}

/** Repeats a request at even intervals. A client that waits for each answer sends overdue ones at once. */
async function repeat(ask: (index: number) => Ask, waitsForAnswers: boolean): Promise<number[]> {
  const startMs = clock.now();
  const statuses: number[] = [];
  let open = 0;
  for (let index = 0; index < REPEATS; index++) {
    const dueMs = startMs + (index * WITHIN_MS) / REPEATS;
    if (clock.now() < dueMs) clock.advance(dueMs - clock.now());
    open++;
    void post(ask(index)).then((status) => {
      open--;
      statuses.push(status);
    });
    // Every open request waits for the clock, or for another request that does.
    while (waitsForAnswers ? open > 0 : open > 0 && clock.sleeps === 0) {
      if (clock.sleeps > 0) clock.advance(100);
      await nextTurn();
    }
  }
  while (open > 0) {
    clock.advance(100);
    await nextTurn();
  }
  return statuses;
}

const failures: [string, Ask][] = [
  ["an internal error", { content: "[[fail internal]]" }],
  ["a broken connection", { content: "[[drop]]" }],
  ["a rate limit", { model: "raw/sim-error-50-resource_exhausted" }],
  ["a plan that is used up", { model: "raw/sim-error-9-resource_exhausted" }],
  ["a conversation that is too long", { model: "raw/sim-error-43-invalid_argument" }],
  ["a model that the plan does not include", { model: "raw/sim-error-23-permission_denied" }],
  ["a refused login", { model: "raw/sim-error-1-unauthenticated" }],
];

describe.each([
  ["waits for each answer", true],
  ["waits for none", false],
])("a client that repeats a failing request and %s", (_, waitsForAnswers) => {
  it.each(failures)("reaches Cursor at most eight times: %s", async (_kind, ask) => {
    const statuses = await repeat(() => ask, waitsForAnswers);
    expect(statuses).toHaveLength(REPEATS);
    expect(statuses.filter((status) => status < 400)).toEqual([]);
    expect(simulator.stats().runs).toBeGreaterThan(0);
    expect(simulator.stats().runs).toBeLessThanOrEqual(MAX_REACHED);
  });
});

it("is recognised although each request has another time and session", async () => {
  await repeat(
    (index) => ({
      content: `<system-reminder>It is ${index} s later.</system-reminder>[[fail internal]]`,
      system: `You help.\nToday is 2026-11-16, 12:00:${String(index).padStart(2, "0")}.\nSession 3f2a8c11-${index}`,
      maxTokens: 100 + index,
    }),
    true,
  );
  expect(simulator.stats().runs).toBeLessThanOrEqual(MAX_REACHED);
});

describe("a client that resends its whole conversation with every turn", () => {
  /** Long enough for that to count as costly. */
  const LONG = "word ".repeat(10_000);

  it("is throttled from the sixth such turn on, with a warning, while others continue", async () => {
    const guard = new SpendGuard({
      gateway: server.deps.gatewayId,
      clock,
      limits: { current: {} },
      limitsOf: () => ({}),
      costOf: () => undefined,
      earlier: undefined,
      readPlan: () => Promise.reject(new Error("no limit needs the plan")),
      onProblem: () => {},
    });
    await server.close();
    await gateway.close();
    gateway = makeGateway(makeAgentBackend(simulator.url, { clock }), { clock, guard });
    server = await serveGateway(gateway, { clock });

    const turn = async (changing: string, firstWords = "Begin.") => {
      const messages = [
        { role: "user", content: firstWords },
        { role: "assistant", content: `${LONG} ${changing}` },
        { role: "user", content: "Go on." },
      ];
      const response = await postJson(`${server.url}/v1/chat/completions`, { model: "auto", messages });
      await response.text();
      return response.headers.get("x-curlew-warnings");
    };
    for (let index = 0; index < 5; index++) expect(await turn(`edit ${index}`)).toBeNull();

    let isAnswered = false;
    const sixth = turn("edit 6").finally(() => {
      isAnswered = true;
    });
    await expect.poll(() => clock.sleeps).toBe(1);
    expect(await turn("edit 6", "Another conversation.")).toBeNull();
    clock.advance(999);
    await nextTurn();
    expect(isAnswered).toBe(false);
    clock.advance(1);
    expect(await sixth).toMatch(/^5 turns in a row sent 6\d,\d{3} tokens again because /);
    expect(simulator.stats().runs).toBe(7);
    guard.close();
  });
});
