import { describe, expect, it } from "vitest";
import { clientRequest } from "../../../testing/clients/client-request.js";
import { parseSse, type SseEvent } from "../../../testing/clients/parse-sse.js";
import { call, counted, finished, ownCall, said, thought } from "../../../testing/samples/sample-events.js";
import { collect } from "../turn/collect.js";
import { type ErrorCode, GatewayError } from "../turn/error.js";
import type { Batch, TurnEvent } from "../turn/event.js";
import type { Dialect } from "./dialect.js";
import { FrameText, writeFrame } from "./frame.js";
import type { ReplyHead } from "./front.js";
import { statusOfEach } from "./parts/status.cases.js";

/** A dialect's part of the shared cases. */
export interface FrontSamples<Reply> {
  /** A request for a streamed answer with every detail, such as usage. */
  body: unknown;
  /** The statuses in which this dialect differs from the others. */
  statuses?: Partial<Readonly<Record<ErrorCode, number>>>;
  /** How to read the pieces of text of a stream and of a whole reply, and the end of a stream. */
  textsOf(events: readonly SseEvent[]): readonly (string | undefined)[];
  textsOfReply(reply: Reply): readonly (string | undefined)[];
  finishesOf(events: readonly SseEvent[]): readonly unknown[];
}

/** An error is in its own frame, or in the response that it has broken off. */
function messageOf(json: string): unknown {
  const { response, error = response.error } = JSON.parse(json);
  return error.message;
}

const head: ReplyHead = { model: "some-model", id: "0123456789abcdef", createdMs: 1_700_000_000_123 };

const ENDED_MS = 1_700_000_001_000;

const oddTexts = {
  quotes: `"double" 'single' \`back\` \\ and \\"`,
  "line ends": "a\nb\r\nc\rd\n\ne",
  "control characters": Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join(""),
  NUL: "before\0after",
  "a lone high surrogate": "x\ud83dy",
  "a lone low surrogate": "x\ude00y",
  "line separators of JavaScript": "a\u2028b\u2029c\u0085d",
  emoji: "👩‍👩‍👧‍👦 🦆 é",
  "what looks like a frame": "\n\ndata: [DONE]\n\nevent: error\ndata: {}\n\n",
  DEL: "\u007f",
};

const everything: readonly TurnEvent[] = [
  thought("hm, "),
  thought("yes", "sig"),
  said("Look"),
  said("ing it up."),
  ...ownCall,
  ...call("c1", "bash", '{"cmd":', '"ls"}'),
  ...call("c2", "pwd"),
  { type: "checkpoint", state: new Uint8Array([1, 2, 3]), phase: "settled" },
  counted(),
  finished("tool-calls"),
];

/** The behaviour that every front must have. */
export function describeFront<Reply>(name: string, { fronts: [front] }: Dialect, samples: FrontSamples<Reply>): void {
  if (front === undefined) throw new Error("the dialect has no front");
  const { request, wantsStream } = front.parse(clientRequest(samples.body));
  const encode = (batches: readonly Batch[]): string => {
    const out = new FrameText();
    const encoder = front.encoder(request, head, out);
    for (const batch of batches) encoder.push(batch);
    encoder.end(ENDED_MS);
    return out.take();
  };

  describe(`${name} as a front`, () => {
    it("streams when asked to", () => expect(wantsStream).toBe(true));

    it("writes valid frames for every kind of event, alone and together", () => {
      for (const event of everything) expect(() => parseSse(encode([[event]]))).not.toThrow();
      expect(parseSse(encode([everything])).length).toBeGreaterThan(4);
    });

    it.each(["stop", "tool-calls", "length", "filtered"] as const)("writes one finish for %s", (reason) => {
      const finishes = samples.finishesOf(parseSse(encode([[finished(reason)]])));
      expect(finishes).toHaveLength(1);
      expect(finishes[0]).toBeTypeOf("string");
    });

    it("adds the finish that a broken backend omitted, even without any event", () => {
      expect(samples.finishesOf(parseSse(encode([[said("cut")]])))).toHaveLength(1);
      expect(samples.finishesOf(parseSse(encode([])))).toHaveLength(1);
    });

    it("writes the same text however the events are batched", () => {
      const one = encode([everything]);
      const each = encode(everything.map((event) => [event]));
      const pairs = encode(everything.flatMap((_, at) => (at % 2 === 0 ? [everything.slice(at, at + 2)] : [])));
      expect([each, pairs]).toEqual([one, one]);
      expect(samples.textsOf(parseSse(one)).join("")).toBe("Looking it up.");
    });

    it.each(Object.entries(oddTexts))("keeps %s in a stream and in a whole reply", async (_, text) => {
      const batches = [[said(text)], [finished()]];
      expect(samples.textsOf(parseSse(encode(batches))).join("")).toBe(text);
      const reply = front.reply(await collect(asEvents(batches)), request, head, ENDED_MS);
      expect(samples.textsOfReply(JSON.parse(JSON.stringify(reply))).join("")).toBe(text);
    });

    it.each(Object.entries({ ...statusOfEach, ...samples.statuses }))(
      "writes the error %s with status %i",
      (code, status) => {
        const error = new GatewayError(code as ErrorCode, 'Something "odd"\nhappened.', {
          param: "messages[0].content",
        });
        const written = front.error(error, "req-1", ENDED_MS);
        expect(written.status).toBe(status);
        expect(messageOf(JSON.stringify(written.body))).toBe(error.message);
        const out = new FrameText();
        writeFrame(out, written.frame);
        const frames = parseSse(out.take());
        expect(frames).toHaveLength(1);
        expect(messageOf(frames[0]?.data ?? "")).toBe(error.message);
      },
    );

    it("refuses a body that is not an object", () => {
      for (const body of [null, [], "text", 5, true]) {
        expect(() => front.parse(clientRequest(body))).toThrowError(GatewayError);
      }
    });
  });
}

async function* asEvents(batches: readonly Batch[]): AsyncIterable<Batch> {
  yield* batches;
}
