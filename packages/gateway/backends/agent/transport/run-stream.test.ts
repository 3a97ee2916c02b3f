import { once } from "node:events";
import { type ClientHttp2Session, connect, createServer, type Http2Server, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { END, encodeEnvelope } from "@curlew/simulator/server/envelope.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GatewayError } from "../../../turn/error.js";
import { RunStream } from "./run-stream.js";
import { sinkFor } from "./sink.cases.js";

let server: Http2Server;
let session: ClientHttp2Session;
beforeAll(async () => {
  server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterAll(() => {
  session.destroy();
  server.close();
});

/** Runs one stream against a server with this answer, and returns how it ended and what it received. */
async function run(answer: (stream: ServerHttp2Stream) => void) {
  server.once("stream", (stream) => {
    stream.on("error", () => {});
    answer(stream);
  });
  const endings: (GatewayError | undefined)[] = [];
  const messages: string[] = [];
  const raw = session.request({ ":method": "POST", ":path": "/" }, { endStream: false });
  const closed = new Promise((resolve) => raw.once("close", resolve));
  await new Promise<void>((resolve) => {
    new RunStream(
      raw,
      sinkFor({
        message: (bytes, start, end) => void messages.push(bytes.toString("utf8", start, end)),
        ended: (error) => {
          endings.push(error);
          resolve();
        },
      }),
      Date.now,
    );
  });
  await closed;
  return { endings, messages };
}

const answering =
  (status: number, body: string | Buffer, type = "") =>
  (stream: ServerHttp2Stream) => {
    stream.respond({ ":status": status, ...(type !== "" && { "content-type": type }) });
    stream.end(body);
  };
const frame = (flags: number, payload: string) => encodeEnvelope(flags, Buffer.from(payload));
const saying = (...frames: Buffer[]) => answering(200, Buffer.concat(frames));

describe("a server that does not read what it asked for", () => {
  /** Each question asks for an answer of half a MiB. */
  async function askMany(questions: number, questionBytes: number) {
    let reading = () => {};
    server.once("stream", (stream) => {
      stream.on("error", () => {});
      stream.respond({ ":status": 200 });
      for (let n = 0; n < questions; n++) stream.write(frame(0, "q".repeat(questionBytes)));
      reading = () => stream.resume();
    });
    const answer = Buffer.alloc(512 * 1024);
    const raw = session.request({ ":method": "POST", ":path": "/" }, { endStream: false });
    const heard = { questions: 0, endings: [] as (GatewayError | undefined)[] };
    const stream = new RunStream(
      raw,
      sinkFor({
        message: () => {
          heard.questions++;
          stream.write(answer);
        },
        ended: (error) => void heard.endings.push(error),
      }),
      Date.now,
    );
    await expect.poll(() => stream.isFull).toBe(true);
    return { heard, stream, read: () => reading() };
  }

  it("is not read from either, until it does", async () => {
    const { heard, stream, read } = await askMany(100, 16_000);
    expect(heard.questions).toBeLessThan(50);
    expect(stream.isPaused).toBe(false); // the client is not the one that is behind
    read();
    await expect.poll(() => heard.questions).toBe(100);
    await expect.poll(() => stream.isFull).toBe(false);
    stream.cancel(new GatewayError("canceled", "enough"));
  });

  it("loses the run when too much would have to be held", async () => {
    const { heard } = await askMany(1_000, 1);
    await expect.poll(() => heard.endings).toMatchObject([{ code: "upstream_error", isRetryable: false }]);
    expect(heard.endings[0]?.message).toContain("asked for more content at once than Curlew can send");
  });
});

describe("a status instead of a stream", () => {
  const connectError = JSON.stringify({ code: "permission_denied", message: "no" });
  it.each([
    [401, "", "cursor_login_required", false, ""],
    [429, "slow down", "rate_limit_exceeded", true, ""],
    [403, connectError, "permission_denied", false, "no"],
    [500, connectError, "permission_denied", false, "no"],
    [503, "", "upstream_overloaded", true, "Cursor answered with HTTP status 503"],
    [464, "", "upstream_error", false, "HTTP status 464"],
    [407, "", "network_blocked", false, "put them into HTTPS_PROXY"],
    [302, "", "network_blocked", false, "sign in to this network"],
    [502, "<!DOCTYPE html><html>", "network_blocked", true, "Something between Curlew and Cursor"],
    [500, '["not an error"]', "upstream_error", true, "HTTP status 500"],
    [500, "x".repeat(200_000), "upstream_error", true, "HTTP status 500"],
  ])("(%i) becomes an error with a message: %#", async (status, body, code, isRetryable, text) => {
    const { endings } = await run(answering(status, body));
    expect(endings).toMatchObject([{ code, isRetryable, message: expect.stringContaining(text) }]);
  });

  it("(200) of another content type is a blocked network, unless it is Cursor's own error", async () => {
    for (const [type, body, code] of [
      ["text/html", "<html>", "network_blocked"],
      ["text/plain", "Hello.", "network_blocked"],
      ["application/json; charset=utf-8", "{}", "network_blocked"],
      ["application/json", connectError, "permission_denied"],
    ] as const) {
      expect((await run(answering(200, body, type))).endings).toMatchObject([{ code, isRetryable: false }]);
    }
  });

  it.each(["application/connect+proto", "application/octet-stream", "text/event-stream", ""])(
    "is not assumed for the content type %j",
    async (type) => {
      const { messages } = await run(answering(200, Buffer.concat([frame(0, "one"), frame(END, "{}")]), type));
      expect(messages).toEqual(["one"]);
    },
  );
});

describe("a stream", () => {
  it("is over with its end frame, and our half is closed then", async () => {
    const { endings, messages } = await run(saying(frame(0, "one"), frame(0, "two"), frame(END, "{}")));
    expect(messages).toEqual(["one", "two"]);
    expect(endings).toEqual([undefined]);
  });

  it("reports the error in its end frame", async () => {
    const { endings } = await run(saying(frame(END, '{"error":{"code":"unavailable"}}')));
    expect(endings).toMatchObject([{ code: "overloaded", isRetryable: true }]);
  });

  it("ignores everything after its end frame", async () => {
    const { endings, messages } = await run(saying(frame(0, "one"), frame(END, "{}"), frame(0, "late")));
    expect(messages).toEqual(["one"]);
    expect(endings).toEqual([undefined]);
  });

  it.each([
    ["without an end frame", (stream: ServerHttp2Stream) => stream.end(frame(0, "one"))],
    ["in the middle of a frame", (stream: ServerHttp2Stream) => stream.end(frame(0, "one").subarray(0, 6))],
    ["by a reset", (stream: ServerHttp2Stream) => stream.close(2)],
  ])("that ends %s is a retryable error", async (_, end) => {
    const { endings } = await run((stream) => {
      stream.respond({ ":status": 200 });
      end(stream);
    });
    expect(endings).toMatchObject([{ code: "upstream_error", isRetryable: true }]);
  });

  it("that ends cleanly without a message means an unsupported region", async () => {
    const { endings } = await run(saying());
    expect(endings).toMatchObject([{ code: "unsupported_region", isRetryable: false }]);
  });
});
