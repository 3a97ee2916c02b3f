import { afterEach, describe, expect, it } from "vitest";
import { type Simulator, startSimulator } from "./index.js";
import { emptyStats } from "./server/stats.js";

let simulator: Simulator | undefined;
afterEach(async () => {
  await simulator?.close();
  simulator = undefined;
});

async function start(options: Parameters<typeof startSimulator>[0] = {}): Promise<Simulator> {
  simulator = await startSimulator(options);
  return simulator;
}

async function ask(method: string, path: string, body?: unknown) {
  const init =
    body === undefined ? { method } : { method, body: typeof body === "string" ? body : JSON.stringify(body) };
  const response = await fetch(`${simulator?.url}${path}`, init);
  return { status: response.status, body: await response.json() };
}

const exchange = () =>
  fetch(`${simulator?.url}/auth/exchange_user_api_key`, {
    method: "POST",
    headers: { authorization: "Bearer crsr_secret" },
    body: "{}",
  });

describe("starting", () => {
  it("takes options and a free port on the loopback address", async () => {
    const { url, options } = await start({ transport: "h1", deltaMs: 5 });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(options()).toMatchObject({ transport: "h1", deltaMs: 5, heartbeatMs: 5_000 });
  });

  it("refuses options that do not fit", async () => {
    await expect(startSimulator({ heartbeatMs: -1 })).rejects.toThrow('"heartbeatMs" takes');
  });
});

describe("POST /__sim/config", () => {
  it("changes what it names and answers with all options", async () => {
    await start();
    const { status, body } = await ask("POST", "/__sim/config", { deltaMs: 20, login: "wait" });
    expect(status).toBe(200);
    expect(body).toMatchObject({ deltaMs: 20, login: "wait", exchange: "ok" });
    expect((await ask("GET", "/__sim/config")).body).toEqual(body);
  });

  it.each([
    [{ deltams: 20 }, 'Unknown option "deltams"'],
    [{ deltaMs: "soon" }, 'The option "deltaMs" takes a whole number'],
    [[], "Options must be an object"],
    ["{", "The body is not valid JSON."],
  ])("refuses %j, says why, and changes nothing", async (body, reason) => {
    const { options } = await start();
    const before = options();
    const answer = await ask("POST", "/__sim/config", body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ error: expect.stringContaining(reason) });
    expect(options()).toEqual(before);
  });

  it("changes nothing when only one of several values is wrong", async () => {
    const { options } = await start();
    await ask("POST", "/__sim/config", { deltaMs: 20, gzip: "maybe" });
    expect(options().deltaMs).toBe(0);
  });
});

describe("GET /__sim/stats and POST /__sim/reset", () => {
  it("count from the start and again from the reset", async () => {
    await start();
    expect((await ask("GET", "/__sim/stats")).body).toEqual(emptyStats());
    await exchange();
    expect((await ask("GET", "/__sim/stats")).body).toEqual({ ...emptyStats(), exchanges: 1 });
    expect((await ask("POST", "/__sim/reset")).body).toEqual(emptyStats());
    expect((await ask("GET", "/__sim/requests")).body).toEqual([]);
  });
});

describe("GET /__sim/requests", () => {
  it("shows the last requests with their bodies and without their secrets", async () => {
    await start();
    await fetch(`${simulator?.url}/first`);
    await exchange();
    const { body } = await ask("GET", "/__sim/requests?last=1");
    expect(body).toMatchObject([
      {
        path: "/auth/exchange_user_api_key",
        httpVersion: "1.1",
        headers: { authorization: "Bearer crsr_***" },
        messages: [{}],
      },
    ]);
  });

  it("does not show control requests", async () => {
    await start();
    await ask("GET", "/__sim/stats");
    expect((await ask("GET", "/__sim/requests")).body).toEqual([]);
  });

  it.each(["-1", "x", "1.5", ""])("refuses last=%s", async (last) => {
    await start();
    expect((await ask("GET", `/__sim/requests?last=${last}`)).status).toBe(400);
  });
});

describe("any other control path", () => {
  it("is separate from Cursor's own paths", async () => {
    await start();
    expect(await ask("POST", "/__sim/stats")).toEqual({
      status: 404,
      body: { error: "Unknown control route: POST /__sim/stats" },
    });
  });
});
