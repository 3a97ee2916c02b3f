import { once } from "node:events";
import { connect } from "node:http2";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { send, textOf } from "../client.js";
import { dialects } from "../dialects.js";
import { stop } from "../process.js";
import { shortRequest } from "../requests.js";
import { startUpstream } from "../targets/start.js";
import { spokenText, writeSpec } from "./spec.js";
import { envelope, envelopeReader, field, message, string, varint } from "./wire.js";

let upstream;
let session;

beforeAll(async () => {
  upstream = await startUpstream();
  session = connect(upstream.url);
});

afterAll(async () => {
  session.destroy();
  await stop(upstream);
});

/** Runs this specification. `answer` is called with the stream at every exec. Resolves with all messages of the run. */
async function run(spec, answer) {
  const stream = session.request({ ":method": "POST", ":path": "/agent.v1.AgentService/Run" });
  stream.write(envelope(0, message(1, string(2, writeSpec(spec)))));
  const messages = [];
  stream.on(
    "data",
    envelopeReader((payload) => {
      messages.push(payload);
      const exec = field(payload, 2);
      if (exec instanceof Uint8Array) answer(stream, field(exec, 1));
    }),
  );
  await once(stream, "end");
  stream.end();
  return messages;
}

/** Sends a result without the message that closes the exec. */
function answerOnce(stream, id) {
  stream.write(envelope(0, message(2, varint(1, id), message(10))));
}

describe("the upstream of the bench", () => {
  it("takes an exec as answered at its first result", async () => {
    const asked = [];
    const messages = await run({ deltas: 2, context: 1, call: 1, checkpoint: 1 }, (stream, id) => {
      asked.push(id);
      answerOnce(stream, id);
    });
    expect(asked).toHaveLength(2);
    const updates = messages.map((payload) => field(payload, 1)).filter((update) => update instanceof Uint8Array);
    expect(updates.some((update) => field(update, 14) !== undefined)).toBe(true);
    expect(messages.some((payload) => field(payload, 3) !== undefined)).toBe(true);
  });

  it("serves the calls that gateways make before a turn", async () => {
    const call = async (path) => {
      const stream = session.request({ ":method": "POST", ":path": path, "content-type": "application/proto" });
      stream.end();
      const parts = [];
      stream.on("data", (part) => parts.push(part));
      const [[headers]] = await Promise.all([once(stream, "response"), once(stream, "end")]);
      return { status: headers[":status"], body: Buffer.concat(parts) };
    };
    const models = await call("/agent.v1.AgentService/GetUsableModels");
    expect(field(field(models.body, 1), 1).toString()).toBe("auto");
    expect(await call("/aiserver.v1.DashboardService/GetMe")).toEqual({ status: 200, body: Buffer.alloc(0) });
    const signedIn = await fetch(`${upstream.http1Url}/auth/exchange_user_api_key`, { method: "POST", body: "{}" });
    expect(await signedIn.json()).toHaveProperty("accessToken");
  });

  it("plays ready-made replies over HTTP/1.1 for gateways that do not speak Cursor's protocol", async () => {
    const { chat } = dialects;
    const body = shortRequest(chat, "0", { spec: { deltas: 5 } });
    const { raw } = await send({ url: upstream.http1Url }, chat, body);
    expect(textOf(chat, raw)).toBe(spokenText(5));
  });
});
