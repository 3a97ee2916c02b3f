import { AnalyticsService } from "../../src/gen/aiserver_v1_pb.js";
import { readBody, type SimRequest, type SimResponse, send } from "../node-http.js";
import type { JournalEntry } from "../world.js";

const MAX_BODY_BYTES = 16 * 1_048_576;

/** Any telemetry is accepted and ignored. */
export function isTelemetry(path: string): boolean {
  return path.startsWith(`/${AnalyticsService.typeName}/`);
}

export async function takeTelemetry(request: SimRequest, response: SimResponse, entry: JournalEntry): Promise<void> {
  const body = await readBody(request, MAX_BODY_BYTES);
  const isJson = request.headers["content-type"]?.includes("json") ?? false;
  entry.messages.push(() => shown(body, isJson));
  if (isJson) send(response, 200, "application/json", "{}");
  else send(response, 200, "application/proto", new Uint8Array());
}

function shown(body: Buffer, isJson: boolean): unknown {
  if (!isJson) return { base64: body.toString("base64") };
  try {
    return JSON.parse(body.toString());
  } catch {
    return { text: body.toString() };
  }
}
