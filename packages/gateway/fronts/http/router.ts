import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestRecord } from "../../turn/events/channels.js";
import type { Answer } from "./answer.js";

/** Lets a request pass, refuses it by a `GatewayError`, or answers it. It may set headers of the answer. */
export type Guard = (incoming: IncomingMessage, outgoing: ServerResponse, record: RequestRecord) => Answer | undefined;

/** Answers a request, or returns undefined after it has written to the response itself. */
export type Serve = (request: RoutedRequest) => Answer | undefined | Promise<Answer | undefined>;

export interface Route {
  /** `GET` also takes `HEAD`; `WS` takes WebSocket handshakes. */
  readonly method: "GET" | "POST" | "DELETE" | "WS";
  /** Parameters follow colons: `/v1/responses/:id`. One at the end may take all segments that follow: `:id{.+}`, or `:id{.*}`. */
  readonly path: string;
  /** Whether answers without an error are not logged. */
  readonly isRoutine?: boolean;
  readonly serve: Serve;
}

interface GuardedRoute extends Pick<Route, "isRoutine" | "serve"> {
  /** Run after the guards of all requests. */
  readonly guards: readonly Guard[];
}

/** What is served at one address, or at all addresses of one form. */
interface Place {
  readonly routes: Map<string, GuardedRoute>;
  /** The fallback for requests that no other route here takes. */
  rest: GuardedRoute;
}

interface Found {
  readonly path: string;
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly place: Place;
}

export interface RoutedRequest {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly record: RequestRecord;
  readonly found: Found;
}

export function paramOf({ found: { params } }: RoutedRequest, name: string): string {
  return decode(params?.[name] ?? "", decodeURIComponent);
}

export function queryOf({ incoming: { url = "" } }: RoutedRequest, name: string): string | undefined {
  return new URLSearchParams(url.slice(pathOf(url).length)).get(name) ?? undefined;
}

interface Refusals {
  readonly unknown: GuardedRoute;
  /** Takes requests whose address is invalid. */
  readonly unreadable: GuardedRoute;
  readonly method: (request: RoutedRequest, allowed: string) => never;
}

/** Every route, by its address: those without parameters are looked up first, and then the others are tried in their order. */
export class Router {
  readonly routes: Route[] = [];
  readonly #refusals: Refusals;
  readonly #places = new Map<string, Place>();
  readonly #exact = new Map<string, Found>();
  readonly #forms: { readonly parts: readonly string[]; readonly place: Place }[] = [];

  constructor(refusals: Refusals) {
    this.#refusals = refusals;
  }

  /** Adds routes behind these guards. Other methods at their addresses pass the same guards before they are refused. */
  add(guards: readonly Guard[], routes: readonly Route[]): void {
    for (const route of routes) {
      const place = this.#places.get(route.path) ?? this.#open(route.path);
      place.routes.set(route.method, { ...route, guards });
      place.rest = { guards, serve: (request) => this.#refusals.method(request, methodsOf(place)) };
      this.routes.push(route);
    }
  }

  /** Routes all addresses of this form to `rest`, except those that were added before. */
  addRest(path: string, rest: GuardedRoute): void {
    this.#open(path).rest = rest;
  }

  /** An address that is written like a route without parameters; undefined for all others. */
  findExact(url: string): Found | undefined {
    return this.#exact.get(pathOf(url));
  }

  find(url: string): Found {
    const path = readPath(url);
    if (path === undefined) return { path: "", place: { routes: new Map(), rest: this.#refusals.unreadable } };
    const exact = this.#exact.get(path);
    if (exact !== undefined) return exact;
    const segments = path.split("/");
    for (const { parts, place } of this.#forms) {
      const params = match(parts, segments);
      if (params !== undefined) return { path, params, place };
    }
    return { path, place: { routes: new Map(), rest: this.#refusals.unknown } };
  }

  #open(path: string): Place {
    const place: Place = { routes: new Map(), rest: this.#refusals.unknown };
    this.#places.set(path, place);
    if (path.includes(":")) this.#forms.push({ parts: path.split("/"), place });
    else this.#exact.set(path, { path, place });
    return place;
  }
}

export function routeFor({ routes, rest }: Place, incoming: IncomingMessage): GuardedRoute {
  const { method = "", headers } = incoming;
  // Node sets this mark on a request whose connection it has handed over.
  const isSocket = headers.upgrade?.toLowerCase() === "websocket" && Reflect.get(incoming, "upgrade") === true;
  return (isSocket && routes.get("WS")) || (routes.get(method === "HEAD" ? "GET" : method) ?? rest);
}

/** As the header `Allow` names them. */
function methodsOf({ routes }: Place): string {
  const methods = [...routes.keys()].filter((method) => method !== "WS");
  return methods.map((method) => (method === "GET" ? "GET, HEAD" : method)).join(", ");
}

/** The parameters of a path with these parts; undefined if it does not match. */
function match(parts: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [at, part] of parts.entries()) {
    const value = part.endsWith("}") ? segments.slice(at).join("/") : (segments[at] ?? "");
    const name = /^:(\w+)/.exec(part)?.[1];
    if (name === undefined ? value !== part : value === "" && !part.endsWith("{.*}")) return undefined;
    if (name !== undefined) params[name] = value;
  }
  return parts.length === segments.length || parts.at(-1)?.endsWith("}") ? params : undefined;
}

/** The part of an address before its query, as it was written. */
export function pathOf(url: string): string {
  const end = url.indexOf("?");
  return end < 0 ? url : url.slice(0, end);
}

/** The path without its escapes, except for characters that separate its parts. Undefined if the address is invalid. */
function readPath(url: string): string | undefined {
  const isWhole = /^https?:\/\//.test(url);
  if (pathOf(url).includes("\\") || !(isWhole || url.startsWith("/"))) return undefined;
  const whole = isWhole ? url : `http://localhost${url}`;
  // Parameters are decoded once more, so an escaped percent sign must stay escaped.
  return URL.canParse(whole) ? decode(new URL(whole).pathname.replaceAll("%25", "%2525"), decodeURI) : undefined;
}

function decode(text: string, decoder: (text: string) => string): string {
  try {
    return decoder(text);
  } catch {
    return text; // it was not escaped
  }
}
