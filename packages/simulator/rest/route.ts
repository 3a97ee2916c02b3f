import type { SimResponse } from "../server/node-http.js";
import { send, sendJson } from "../server/node-http.js";

/** A REST request whose body has been read. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly authorization: string | undefined;
  readonly cookie: string | undefined;
  /** The JSON body; undefined when there is none. */
  readonly body: unknown;
}

export type Answer =
  | { status: number; json: unknown; headers?: Record<string, string> }
  | { status: number; text: string; contentType?: string };

export interface Route {
  readonly method: "GET" | "POST";
  /** `*` matches any one segment. */
  readonly path: string;
  answer(call: Call): Answer | Promise<Answer>;
}

export function fitsPath(pattern: string, path: string): boolean {
  const wanted = pattern.split("/");
  const given = path.split("/");
  return given.length === wanted.length && wanted.every((part, index) => part === given[index] || part === "*");
}

export function sendAnswer(response: SimResponse, answer: Answer): void {
  if ("text" in answer) {
    send(response, answer.status, answer.contentType ?? "text/plain; charset=utf-8", answer.text);
    return;
  }
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  sendJson(response, answer.status, answer.json);
}

/** The answer of Cursor's web framework to an unknown path; clients recognise old servers by it. */
export function notFound(method: string, path: string): Answer {
  return { status: 404, json: { message: `Route ${method}:${path} not found`, error: "Not Found", statusCode: 404 } };
}

/** The text under a name in a JSON object; undefined when there is none. */
export function textOf(body: unknown, name: string): string | undefined {
  if (typeof body !== "object" || body === null || !(name in body)) return undefined;
  const value: unknown = Reflect.get(body, name);
  return typeof value === "string" ? value : undefined;
}
