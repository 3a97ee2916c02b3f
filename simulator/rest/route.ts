import type { SimResponse } from "../node-http.js";
import { send, sendJson } from "../node-http.js";

/** A REST request, read to its end. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly authorization: string | undefined;
  /** The JSON body; undefined when there is none. */
  readonly body: unknown;
  /** What stood at the `*` of the route's path. */
  readonly wildcard: string;
}

export type Answer =
  | { status: number; json: unknown; headers?: Record<string, string> }
  | { status: number; text: string; contentType?: string };

export interface Route {
  readonly method: "GET" | "POST";
  /** May hold one `*` for one segment. */
  readonly path: string;
  answer(call: Call): Answer | Promise<Answer>;
}

export function matchPath(pattern: string, path: string): { wildcard: string } | undefined {
  const star = pattern.indexOf("*");
  if (star < 0) return pattern === path ? { wildcard: "" } : undefined;
  const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)];
  if (!path.startsWith(before) || !path.endsWith(after)) return undefined;
  const wildcard = path.slice(before.length, path.length - after.length);
  return wildcard === "" || wildcard.includes("/") ? undefined : { wildcard };
}

export function sendAnswer(response: SimResponse, answer: Answer): void {
  if ("text" in answer) {
    send(response, answer.status, answer.contentType ?? "text/plain; charset=utf-8", answer.text);
    return;
  }
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  sendJson(response, answer.status, answer.json);
}

/** What Cursor's web framework says about a path it does not know; clients tell old servers by it. */
export function notFound(method: string, path: string): Answer {
  return { status: 404, json: { message: `Route ${method}:${path} not found`, error: "Not Found", statusCode: 404 } };
}

/** The text under a name in a JSON object; undefined when there is none. */
export function textOf(body: unknown, name: string): string | undefined {
  if (typeof body !== "object" || body === null || !(name in body)) return undefined;
  const value: unknown = Reflect.get(body, name);
  return typeof value === "string" ? value : undefined;
}
