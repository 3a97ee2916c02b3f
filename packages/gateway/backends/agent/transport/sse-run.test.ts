import { Agent, type IncomingMessage, type ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { serveHttp } from "../../../../../testing/network/serve-http.js";
import { systemClock } from "../../../system/clock.js";
import { GatewayError } from "../../../turn/error.js";
import { encodeEnvelope } from "../../cursor/envelope.js";
import { sinkFor } from "./sink.cases.js";
import { SseRun } from "./sse-run.js";

type Answer = (response: ServerResponse, request: IncomingMessage) => void;
interface Peer {
  /** The answer to the run, and the answer to each append. */
  run: Answer;
  append: Answer;
}

const MIB = 1024 * 1024;

const taken: Answer = (response) => response.end();
const open: Answer = (response) => response.writeHead(200).flushHeaders();
const endFrame = Buffer.concat([Buffer.from([2, 0, 0, 0, 2]), Buffer.from("{}")]);

/** Starts one run against a server with these answers. */
async function start({ run = open, append = taken }: Partial<Peer>, onMessage = (_text: string) => {}) {
  const origin = await serveHttp((request, response) => {
    request.resume().once("end", () => (request.url?.endsWith("/RunSSE") ? run : append)(response, request));
  });
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const endings: (GatewayError | undefined)[] = [];
  const channel = new SseRun(
    sinkFor({
      message: (bytes, from, to) => onMessage(bytes.toString("utf8", from, to)),
      ended: (error) => void endings.push(error),
    }),
    {
      origin,
      requestId: "run-1",
      tokens: { get: async () => "token", renew: async () => "newer" },
      clock: systemClock,
      runHeaders: {},
      appendHeaders: {},
      runAgent: agent,
      appendAgent: agent,
      onOver: () => {},
    },
  );
  const ended = async () => {
    await expect.poll(() => endings.length, { interval: 5 }).toBe(1);
    return endings[0];
  };
  return { channel, ended };
}

describe("a run over HTTP/1.1", () => {
  it("delivers its frames and is over with the end frame, though the server keeps the response open", async () => {
    const heard: string[] = [];
    const run: Answer = (response) =>
      void response.write(Buffer.concat([encodeEnvelope(Buffer.from("one")), endFrame]));
    const { ended } = await start({ run }, (text) => heard.push(text));
    expect(await ended()).toBeUndefined();
    expect(heard).toEqual(["one"]);
  });

  it.each([
    ["a status", (response) => response.writeHead(401).end(), { kind: "authentication" }],
    ["a web page", (response) => response.end("<html>").destroy(), { isRetryable: true }],
    ["a hang-up before the answer", (_, request) => request.socket.destroy(), { code: "upstream_unreachable" }],
    ["a hang-up within", (response) => void response.write("x", () => response.destroy()), { code: "upstream_error" }],
    ["an end without an end frame", (response) => response.end("x"), { code: "upstream_error", isRetryable: true }],
    ["an end without a word", (response) => response.end(), { code: "unsupported_region", isRetryable: false }],
  ] satisfies [string, Answer, object][])("becomes an error: %s", async (_, run, error) => {
    expect(await (await start({ run })).ended()).toMatchObject(error);
  });

  it("ends with the error of a message that Cursor refuses", async () => {
    let hasLeft = false;
    const run: Answer = (response) => {
      open(response, response.req);
      response.once("close", () => {
        hasLeft = true;
      });
    };
    const append: Answer = (response) => response.writeHead(400).end('{"code":"invalid_argument","message":"no"}');
    const { channel, ended } = await start({ run, append });
    channel.write(encodeEnvelope(Buffer.from("hello")));
    expect(await ended()).toMatchObject({ code: "bad_request" });
    await expect.poll(() => hasLeft).toBe(true);
  });

  it("stops reading while its own messages are stuck, and resumes when they are taken", async () => {
    const stuck: ServerResponse[] = [];
    const heard: string[] = [];
    const { channel } = await start(
      {
        run: (response) => void response.write(encodeEnvelope(Buffer.from("ask"))),
        append: (response) => void stuck.push(response),
      },
      (text) => {
        heard.push(text);
        for (let each = 0; each < 3; each++) channel.write(encodeEnvelope(Buffer.alloc(3 * MIB)));
      },
    );
    await expect.poll(() => channel.isPaused, { interval: 5 }).toBe(true);
    channel.resume(); // the reader is ready, which alone does not help
    expect(channel.isPaused).toBe(true);
    await expect.poll(() => stuck.length).toBe(1); // the first append goes alone
    stuck[0]?.end();
    await expect.poll(() => channel.isPaused, { interval: 5 }).toBe(false);
    expect(heard).toEqual(["ask"]);
    channel.cancel(new GatewayError("canceled", "enough"));
  });

  it("stays paused for its consumer when stuck messages are taken", async () => {
    let taken = 0;
    const { channel } = await start(
      {
        run: (response) => void response.write(encodeEnvelope(Buffer.from("ask"))),
        append: (response) => response.end(() => taken++),
      },
      () => {
        channel.pause();
        for (let each = 0; each < 3; each++) channel.write(encodeEnvelope(Buffer.alloc(3 * MIB)));
        channel.write(encodeEnvelope(Buffer.from("last")));
      },
    );
    await expect.poll(() => taken).toBe(4); // by then the answers to the earlier ones have come
    expect(channel.isPaused).toBe(true);
    channel.resume();
    expect(channel.isPaused).toBe(false);
    channel.cancel(new GatewayError("canceled", "enough"));
  });
});
