import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";
import { startTraceReceiver, type TraceReceiver } from "../testing/network/trace-receiver.js";

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly status?: object;
  readonly attributes: readonly { key: string; value: Record<string, unknown> }[];
  readonly events?: readonly { name: string }[];
}

let receiver: TraceReceiver;
let system: WholeSystem;

beforeEach(async () => {
  receiver = await startTraceReceiver();
  system = await startWholeSystem({}, { otlpEndpoint: `${receiver.url}/v1/traces` });
});
afterEach(async () => {
  await system.close();
  await receiver.close();
});

function post(content: string, headers: Record<string, string> = {}): Promise<string> {
  const body = JSON.stringify({ model: "auto", stream: true, messages: [{ role: "user", content }] });
  const all = { "content-type": "application/json", ...headers };
  return fetch(`${system.url}/v1/chat/completions`, { method: "POST", headers: all, body }).then((response) =>
    response.text(),
  );
}

/** The end of the gateway sends what is left, so nobody waits for the next export. */
async function spansAtTheEnd(): Promise<Span[]> {
  await system.close();
  return receiver.exports.flatMap(({ body }) => JSON.parse(body).resourceSpans[0].scopeSpans[0].spans);
}

const attribute = (span: Span | undefined, key: string) =>
  Object.values(span?.attributes.find((each) => each.key === key)?.value ?? {})[0];

describe("the traces of a gateway", () => {
  it("have a span for each request, which belongs to the client's own", async () => {
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    await post("[[say a private word]] [[usage 100 20 60 10 5]]", {
      traceparent: `00-${traceId}-b7ad6b7169203331-01`,
    });
    await post("[[fail resource_exhausted ERROR_RATE_LIMITED]]");
    const [said, failed, ...others] = await spansAtTheEnd();
    expect(others).toEqual([]);
    expect(said).toMatchObject({ name: "chat auto", traceId, parentSpanId: "b7ad6b7169203331" });
    expect(said?.events?.map(({ name }) => name)).toEqual(["curlew.planned", "curlew.opened", "curlew.first_byte"]);
    expect(attribute(said, "gen_ai.usage.output_tokens")).toBe("20");
    expect(attribute(said, "curlew.continuity")).toBe("cold:new");
    expect(attribute(said, "server.address")).toBe("127.0.0.1");
    expect(attribute(said, "server.port")).toBe(new URL(system.simulator.url).port);
    expect(failed).toMatchObject({ name: "chat auto", status: { code: 2 } });
    expect(attribute(failed, "error.type")).toBe("rate_limit_exceeded");
    expect(attribute(failed, "curlew.backend")).toBe("agent");
    expect(receiver.exports.map(({ body }) => body).join()).not.toContain("private");
  });

  it("say nothing to Cursor", async () => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    await post("[[say hello]]", { traceparent });
    const seen = JSON.stringify(system.simulator.requests(100));
    expect(seen).not.toContain("0af7651916cd43dd8448eb211c80319c");
  });

  it("go to the path that was set, as JSON", async () => {
    await post("[[say hello]]");
    await spansAtTheEnd();
    expect(receiver.exports).toMatchObject([{ path: "/v1/traces", headers: { "content-type": "application/json" } }]);
  });
});
