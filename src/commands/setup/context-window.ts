import { z } from "zod";
import type { Target } from "../../setup/client.js";
import type { Wish } from "./target.js";

/** A gateway that has no list yet asks Cursor for it first. */
const ANSWER_MS = 3_000;
/** What Cursor's models have when nobody says more of them. */
const USUAL_CONTEXT_TOKENS = 200_000;

const ListedModel = z.looseObject({ context_window: z.int().positive().optional() });

interface KnownTarget {
  readonly target: Target;
  /** Whether the gateway has said how much the model reads. */
  readonly isKnown: boolean;
}

/** Adds how much the model reads, which the gateway has from Cursor's list: a client would guess. */
export async function withContext(wish: Wish): Promise<KnownTarget> {
  const contextTokens = await askGateway(wish);
  const isKnown = contextTokens !== undefined;
  return { target: { ...wish, contextTokens: contextTokens ?? USUAL_CONTEXT_TOKENS }, isKnown };
}

async function askGateway({ url, model, key }: Wish): Promise<number | undefined> {
  try {
    const reply = await fetch(`${url}/v1/models/${encodeURIComponent(model)}`, {
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(ANSWER_MS),
      redirect: "error",
    });
    return reply.ok ? ListedModel.parse(await reply.json()).context_window : undefined;
  } catch {
    return undefined; // none is running, or it is not ours: the client can be set up all the same
  }
}
