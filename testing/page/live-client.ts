import { expect } from "vitest";
import type { LiveEvent, NowAnswer } from "../../packages/page/access/contract.js";
import type { PageClient } from "./page-client.js";

/** A page with an open live stream. */
export interface LiveClient {
  /** Every event up to now, and the comments between them. */
  readonly events: readonly LiveEvent[];
  readonly comments: readonly string[];
  /** The state after all events so far. */
  readonly state: Partial<NowAnswer>;
  /** Whether the stream has ended. */
  readonly isOver: boolean;
  /** Waits until the check passes for the state. */
  until(check: (state: Partial<NowAnswer>) => unknown): Promise<void>;
  leave(): void;
}

/** Opens the live stream of a page. */
export async function openLive(page: PageClient): Promise<LiveClient> {
  const leaving = new AbortController();
  const response = await page.ask("/admin/api/live", { signal: leaving.signal });
  if (!response.ok || response.body === null) throw new Error(`The live stream did not open: ${await response.text()}`);
  const [events, comments]: [LiveEvent[], string[]] = [[], []];
  let state: Partial<NowAnswer> = {};
  let isOver = false;
  const read = async (body: ReadableStream<Uint8Array>) => {
    let text = "";
    for await (const piece of body.pipeThrough(new TextDecoderStream())) {
      text += piece;
      const frames = text.split("\n\n");
      text = frames.pop() ?? "";
      for (const frame of frames) {
        const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(frame) ?? [];
        if (name === undefined || data === undefined) comments.push(frame);
        else events.push({ name, data: JSON.parse(data) } as LiveEvent);
        if (name === "now" && data !== undefined) state = { ...state, ...JSON.parse(data) };
      }
    }
  };
  read(response.body)
    .catch(() => {})
    .finally(() => {
      isOver = true;
    });
  return {
    events,
    comments,
    get state() {
      return state;
    },
    get isOver() {
      return isOver;
    },
    until: (check) => expect.poll(() => Boolean(check(state))).toBe(true),
    leave: () => leaving.abort(),
  };
}
