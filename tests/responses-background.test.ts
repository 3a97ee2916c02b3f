import OpenAI, { BadRequestError, NotFoundError } from "openai";
import type { Response, ResponseStreamEvent } from "openai/resources/responses/responses";
import { describe, expect, it } from "vitest";
import { openWholeSystem, startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";
import { startGatewayProcess } from "../testing/programs/gateway-process.js";
import { startedEach } from "../testing/started.js";
import { rowsOnDisk } from "../testing/store/on-disk.js";

const system = startedEach(() => startWholeSystem({ deltaMs: 1 }));
const client = startedEach(() => clientOf(system.url));

const model = "auto";
const background = true;
const words = "naïve words that stream one by one, ".repeat(20).trim();
/** A run that does not end by itself during a test. */
const endless = "[[say begun]] [[wait 3600000]] [[say never]]";

function clientOf(url: string, apiKey = "unused"): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
}

async function untilEnded(id: string, reader = client): Promise<Response> {
  return untilStatus(id, ["completed", "incomplete", "failed", "cancelled"], reader);
}

/** Polls as in OpenAI's guide until the status is one of these. */
async function untilStatus(id: string, wanted: readonly string[], reader = client): Promise<Response> {
  for (;;) {
    const response = await reader.responses.retrieve(id);
    if (wanted.includes(response.status ?? "")) return response;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function all(stream: AsyncIterable<ResponseStreamEvent>): Promise<ResponseStreamEvent[]> {
  const events: ResponseStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** Waits until the run of a response is open at Cursor. */
async function untilRunning(id: string, { simulator }: Pick<WholeSystem, "simulator">, reader = client): Promise<void> {
  await untilStatus(id, ["in_progress"], reader);
  await expect.poll(() => simulator.stats().runsOpen).toBe(1);
}

/** The bytes of the events of a response. */
async function bytesOf(id: string, query = ""): Promise<string> {
  return (await fetch(`${system.url}/v1/responses/${id}?stream=true${query}`)).text();
}

describe("a background response", () => {
  it("is answered at once, and can be retrieved when complete", async () => {
    const asked = await client.responses.create({ model, background, input: `[[think hm]] [[say ${words}]]` });
    expect(asked).toMatchObject({ status: "queued", background: true, output: [], usage: null, error: null });
    const made = await untilEnded(asked.id);
    expect(made).toMatchObject({ id: asked.id, status: "completed", background: true, output_text: words });
    const { output } = await client.responses.create({ model, input: `[[think hm]] [[say ${words}]]` });
    const withoutIds = (items: Response["output"]) => items.map(({ id: _, ...item }) => item);
    expect(withoutIds(made.output)).toEqual(withoutIds(output));
    expect(system.simulator.stats().runs).toBe(2);
  });

  it("is in progress once its run is open, before the first word", async () => {
    const { id } = await client.responses.create({ model, background, input: "[[wait 3600000]] [[say late]]" });
    await untilRunning(id, system);
    expect(await client.responses.cancel(id)).toMatchObject({ id, status: "cancelled", output: [] });
    const types = (await bytesOf(id)).match(/(?<=^event: response\.).*/gm);
    expect(types).toEqual(["created", "queued", "in_progress", "cancelled"]);
  });

  it("continues after its connection broke, and replays the events after the last received one", async () => {
    const stream = await client.responses.create({ model, background, stream: true, input: `[[say ${words}]]` });
    const seen: ResponseStreamEvent[] = [];
    for await (const event of stream) {
      seen.push(event);
      if (seen.length === 12) break; // closes the connection
    }
    expect(seen.slice(0, 3).map(({ type }) => type)).toEqual([
      "response.created",
      "response.queued",
      "response.in_progress",
    ]);
    const [created] = seen;
    const id = created?.type === "response.created" ? created.response.id : "";
    const rest = await all(await client.responses.retrieve(id, { stream: true, starting_after: 11 }));
    const events = [...seen, ...rest];
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
    expect(events.at(-1)).toMatchObject({ type: "response.completed", response: { id, status: "completed" } });
    const deltas = events.flatMap((event) => (event.type === "response.output_text.delta" ? [event.delta] : []));
    expect(deltas.join("")).toBe(words);
    expect((await client.responses.retrieve(id)).output_text).toBe(words);
    expect(await all(await client.responses.retrieve(id, { stream: true }))).toEqual(events);
    expect(system.simulator.stats().runs).toBe(1);
  });

  it("that is cancelled ends its run and keeps its text; cancelling is idempotent", async () => {
    const stream = await client.responses.create({ model, background, stream: true, input: endless });
    let id = "";
    let last: ResponseStreamEvent | undefined;
    let cancelled: Response | undefined;
    for await (const event of stream) {
      if (event.type === "response.created") id = event.response.id;
      if (event.type === "response.output_text.delta") cancelled = await client.responses.cancel(id);
      last = event;
    }
    expect(cancelled).toMatchObject({ id, status: "cancelled", output: [{ status: "incomplete" }] });
    expect(last).toMatchObject({ type: "response.cancelled", response: { status: "cancelled" } });
    await expect.poll(() => system.simulator.stats()).toMatchObject({ runs: 1, runsOpen: 0, cancelled: 1 });
    const { output_text: _, ...plain } = await client.responses.retrieve(id);
    expect(plain).toEqual(cancelled);
    expect(await client.responses.cancel(id)).toEqual(cancelled);
    const next = await client.responses.create({ model, previous_response_id: id, input: "[[say next]]" });
    expect(next.output_text).toBe("next");
  });

  it("that is deleted ends its run", async () => {
    const { id } = await client.responses.create({ model, background, input: endless });
    await untilRunning(id, system);
    await client.responses.delete(id);
    await expect(client.responses.retrieve(id)).rejects.toThrow(NotFoundError);
    await expect.poll(() => system.simulator.stats()).toMatchObject({ runs: 1, runsOpen: 0, cancelled: 1 });
  });

  it("ends with its calls, and continues on the same run with their results", async () => {
    const tool = { type: "function" as const, name: "weather", parameters: { type: "object" }, strict: false };
    const input = '[[call weather {"city":"Kiel"}]] then [[say done]]';
    const { id } = await client.responses.create({ model, background, input, tools: [tool] });
    const { status, output } = await untilEnded(id);
    expect({ status, output }).toMatchObject({ status: "completed", output: [{ type: "function_call" }] });
    const [call] = output;
    const result = {
      type: "function_call_output" as const,
      call_id: call?.type === "function_call" ? call.call_id : "",
      output: "rain",
    };
    const next = await client.responses.create({
      model,
      background,
      tools: [tool],
      previous_response_id: id,
      input: [result],
    });
    expect((await untilEnded(next.id)).output_text).toContain("Result of weather: rain");
    expect(system.simulator.stats()).toMatchObject({ runs: 1, execsAbandoned: 0 });
  });

  it("cannot be continued before its end", async () => {
    const { id } = await client.responses.create({ model, background, input: endless });
    const next = client.responses.create({ model, previous_response_id: id, input: "[[say next]]" });
    await expect(next).rejects.toThrow(/previous_response_id: .* is still being made/);
    await client.responses.cancel(id);
  });
});

describe("a refused request", () => {
  it("is a background response that is not stored", async () => {
    const asked = client.responses.create({ model, background, store: false, input: "[[say hi]]" });
    await expect(asked).rejects.toMatchObject({ status: 400, type: "invalid_request_error", param: "background" });
    expect(system.simulator.stats().runs).toBe(0);
  });

  it("is a cancel or the events of a response that was not made in the background", async () => {
    const { id } = await client.responses.create({ model, input: "[[say hi]]" });
    await expect(client.responses.cancel(id)).rejects.toThrow(BadRequestError);
    const streamed = client.responses.retrieve(id, { stream: true });
    await expect(streamed).rejects.toMatchObject({ status: 400, param: "stream" });
  });

  it("is an invalid position", async () => {
    const { id } = await client.responses.create({ model, background, input: "[[say hi]]" });
    const response = await fetch(`${system.url}/v1/responses/${id}?stream=true&starting_after=-1`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param: "starting_after" } });
    await untilEnded(id);
  });

  it("is an unknown response", async () => {
    for (const ask of [
      client.responses.cancel("resp_none"),
      client.responses.retrieve("resp_none", { stream: true }),
    ]) {
      await expect(ask).rejects.toThrow(NotFoundError);
    }
  });
});

it("a background response belongs to the caller that created it", async () => {
  const shared = await openWholeSystem({}, { passThrough: true, apiKey: undefined });
  const [mine, others] = [clientOf(shared.url, "crsr_mine"), clientOf(shared.url, "crsr_others")];
  const { id } = await mine.responses.create({ model, background, input: endless });
  await untilRunning(id, shared, mine);
  for (const ask of [
    others.responses.retrieve(id),
    others.responses.retrieve(id, { stream: true }),
    others.responses.cancel(id),
    others.responses.delete(id),
  ]) {
    await expect(ask).rejects.toThrow(NotFoundError);
  }
  expect(shared.simulator.stats().runsOpen).toBe(1);
  expect(await mine.responses.cancel(id)).toMatchObject({ status: "cancelled" });
});

describe("a gateway that ends during a background response", () => {
  it("leaves it failed if it is killed", async () => {
    const home = `${system.home}/killed`;
    const first = await startGatewayProcess(system.simulator.url, home);
    const { id } = await clientOf(first.url).responses.create({ model, background, input: endless });
    await untilRunning(id, system, clientOf(first.url));
    await expect.poll(() => rowsOnDisk(home), { interval: 50 }).toBeGreaterThan(0);
    await first.kill();
    const second = await startGatewayProcess(system.simulator.url, home);
    try {
      const again = clientOf(second.url);
      const failed = await again.responses.retrieve(id);
      expect(failed).toMatchObject({
        status: "failed",
        error: { code: "server_error", message: expect.stringContaining("stopped before this response was complete") },
      });
      const { output_text: _, ...plain } = failed;
      expect(await again.responses.cancel(id)).toEqual(plain);
      const streamed = again.responses.retrieve(id, { stream: true });
      await expect(streamed).rejects.toMatchObject({ status: 400, param: "stream" });
      const next = await again.responses.create({ model, previous_response_id: id, input: "[[say next]]" });
      expect(next.output_text).toBe("next");
    } finally {
      await second.kill();
    }
  });
});
