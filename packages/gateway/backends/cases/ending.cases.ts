import { expect } from "vitest";
import {
  type BackendAtWork,
  type BackendCase,
  joined,
  textOf,
  untilError,
} from "../../../../testing/backends/at-work.js";
import { userTurn } from "../../../../testing/backends/scripted/index.js";
import type { ErrorCode } from "../../turn/error.js";
import type { CloseReason } from "../backend.js";

export const endingCases = {
  "usage of a reply that is cut short": async ({ start }) => {
    const text = "말은 막 시작되었다 — über kurz";
    const exchange = start(`[[say ${text}]] [[wait 60000]] [[say never]]`);
    let said = "";
    await untilError(exchange.events(), (event) => {
      if (event.type !== "text") return;
      said += event.delta;
      if (said.length < text.length) return;
      const { usage, turn } = exchange.usageSoFar();
      // The estimate counts characters; bytes would give more.
      expect(usage).toMatchObject({ estimated: true, outputTokens: Math.ceil(text.length / 4) });
      expect(turn).toEqual(usage);
      exchange.close("client-left");
    });
    expect(exchange.usageSoFar().usage.estimated).toBe(true);
  },

  "cancel by the client": (at) => closing(at, "client-left", "canceled"),
  "cancel by the owner": (at) => closing(at, "stopped", "canceled"),
  "cancel by a shutdown": (at) => closing(at, "shutdown", "shutting_down"),

  "cancel before the start": async ({ start }) => {
    const exchange = start("[[wait 60000]] [[say never]]");
    exchange.close("client-left");
    expect((await untilError(exchange.events())).error.code).toBe("canceled");
  },

  "cancel after the end, and twice": async ({ start }) => {
    const exchange = start("[[say done]]");
    expect(await textOf(exchange)).toBe("done");
    exchange.close("client-left");
    exchange.close("shutdown");
    expect(await textOf(start("[[say still here]]"))).toBe("still here");
  },

  "cancel without harm to a neighbour": async ({ start }) => {
    const closed = start("[[say x]] [[wait 60000]] [[say never]]");
    const other = start("[[say y1-]] [[wait 30]] [[say y2]]");
    const ended = untilError(closed.events());
    const text = textOf(other);
    closed.close("client-left");
    expect((await ended).error.code).toBe("canceled");
    expect(await text).toBe("y1-y2");
  },

  "tells when it is over": async ({ start }) => {
    const finished = start("[[say done]]");
    const closed = start("[[wait 60000]]");
    const over = Promise.all([finished, closed].map((each) => new Promise<void>((resolve) => each.onOver(resolve))));
    expect(await textOf(finished)).toBe("done");
    finished.close("client-left");
    closed.close("client-left");
    await over;
  },

  "error: not logged in": (at) => failing(at, "unauthenticated", "cursor_login_required"),
  "error: not permitted": (at) => failing(at, "permission_denied", "permission_denied"),
  "error: bad request": (at) => failing(at, "invalid_argument", "bad_request"),
  "error: not found": (at) => failing(at, "not_found", "not_found"),
  "error: too many requests": (at) => failing(at, "resource_exhausted", "rate_limit_exceeded"),
  "error: quota used up": (at) => failing(at, "resource_exhausted ERROR_PRO_USER_USAGE_LIMIT", "insufficient_quota"),
  "error: overloaded": (at) => failing(at, "unavailable", "overloaded"),
  "error: timeout": (at) => failing(at, "deadline_exceeded", "timeout"),
  "error: failure of Cursor's": (at) => failing(at, "internal", "upstream_error"),

  "error: unknown model": async ({ start }) => {
    const model = { id: "no-such-model", parameters: [], isMax: false };
    const { error } = await untilError(start(userTurn("[[say never]]"), { model }).events());
    expect(error.code).toBe("model_not_found");
  },

  "error: broken off": async ({ start }) => {
    const { events, error } = await untilError(start("[[say cut]] [[drop]]").events());
    expect(joined(events, "text")).toBe("cut");
    expect(error.kind).toBe("upstream");
  },

  "error after text": async ({ start }) => {
    const { events, error } = await untilError(start("[[say so far so good]] [[fail permission_denied]]").events());
    expect(joined(events, "text")).toBe("so far so good");
    expect(events.some(({ type }) => type === "finish")).toBe(false);
    expect(error.code).toBe("permission_denied");
  },
} satisfies Record<string, BackendCase>;

async function closing({ start }: BackendAtWork, reason: CloseReason, code: ErrorCode): Promise<void> {
  const exchange = start("[[say begun]] [[wait 60000]] [[say never]]");
  const { events, error } = await untilError(exchange.events(), (event) => {
    if (event.type === "text") exchange.close(reason);
  });
  expect(joined(events, "text")).toBe("begun");
  expect(error.code).toBe(code);
}

async function failing({ start }: BackendAtWork, failure: string, code: ErrorCode): Promise<void> {
  const { events, error } = await untilError(start(`[[fail ${failure}]]`).events());
  expect(joined(events, "text")).toBe("");
  expect(error.code).toBe(code);
}
