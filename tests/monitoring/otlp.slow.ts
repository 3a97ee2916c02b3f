import { createRequire } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startWholeSystem } from "../../testing/gateway/whole-system.js";
import { startTraceReceiver, type TraceReceiver } from "../../testing/network/trace-receiver.js";
import { npmFolder } from "../../testing/programs/npm-folder.js";
import { playTraffic } from "./traffic.js";

vi.setConfig({ hookTimeout: 300_000 });

const KEY = "a-gateway-key-0123";
const ids: ReadonlySet<string> = new Set(["traceId", "spanId", "parentSpanId"]);

/** The messages of OTLP, as OpenTelemetry has compiled them from their definitions. */
interface ExportRequest {
  fromObject(json: object): object;
  verify(message: object): string | null;
  toObject(message: object, options: object): unknown;
}

let messages: ExportRequest;
let knownNames: ReadonlySet<unknown>;
let receiver: TraceReceiver;
let bodies: unknown[] = [];
let requests = 0;

beforeAll(async () => {
  // The last version of the first package that has all messages, and the conventions as they are now.
  const packages = ["@opentelemetry/otlp-transformer@0.208.0", "@opentelemetry/semantic-conventions@1.45.0"];
  const folder = join(await npmFolder("otlp", packages), "node_modules", "@opentelemetry");
  const load = createRequire(import.meta.url);
  const root = load(join(folder, "otlp-transformer", "build", "src", "generated", "root.js"));
  messages = root.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
  knownNames = new Set(Object.values(load(join(folder, "semantic-conventions", "dist", "index-incubating.cjs"))));
  receiver = await startTraceReceiver();
  const system = await startWholeSystem({}, { key: KEY, otlpEndpoint: `${receiver.url}/v1/traces` });
  requests = await playTraffic(system.url, KEY, 1);
  await system.close();
  bodies = receiver.exports.map(({ body }) => JSON.parse(body));
});
afterAll(() => receiver?.close());

/** OTLP's JSON is that of Protocol Buffers, except that ids are hexadecimal. */
function withBase64Ids(key: string, value: unknown): unknown {
  if (!ids.has(key)) return value;
  expect(value).toMatch(/^([0-9a-f]{16}|[0-9a-f]{32})$/);
  return Buffer.from(String(value), "hex").toString("base64");
}

const collect = (value: unknown, key: string): unknown[] => {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => (name === key ? [each] : collect(each, key)));
};

describe("what OpenTelemetry's own code makes of the traces", () => {
  it("is a message of the right types, with nothing lost on the way", () => {
    expect(bodies.length).toBeGreaterThan(0);
    for (const body of bodies) {
      const json = JSON.parse(JSON.stringify(body), withBase64Ids);
      const message = messages.fromObject(json);
      expect(messages.verify(message)).toBeNull();
      expect(messages.toObject(message, { longs: String, bytes: String })).toEqual(json);
    }
  });

  it("is one span for each request", () => {
    const spans = bodies.flatMap((body) => collect(body, "spans")).flat();
    expect(spans).toHaveLength(requests);
  });

  it("has attributes of ours, and else such as the conventions know", () => {
    const keys = new Set(collect(bodies, "key"));
    expect(keys).toContain("gen_ai.provider.name");
    const foreign = [...keys].filter((key) => !String(key).startsWith("curlew."));
    expect(foreign.filter((key) => !knownNames.has(key))).toEqual([]);
  });
});
