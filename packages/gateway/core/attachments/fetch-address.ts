import type { LookupAddress } from "node:dns";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import { anySignal } from "../../turn/any-signal.js";
import { GatewayError } from "../../turn/error.js";
import { codeOf } from "../../turn/reason-of.js";
import type { AddressPolicy } from "./address-policy.js";

export interface Reach {
  readonly allows: AddressPolicy;
  readonly lookup: (name: string) => Promise<readonly LookupAddress[]>;
}

export interface FetchRequest {
  readonly accept: string;
  readonly maxBytes: number;
  readonly maxMs: number;
  readonly maxRedirects: number;
  /** Checks the type before the content is read. Throws to refuse it. */
  readonly checkType: (contentType: string) => void;
}

const redirects: readonly (number | undefined)[] = [301, 302, 303, 307, 308];

/**
 * Fetches the content at an address. Checks the name of every hop and its IP addresses, and connects to these very addresses, so
 * that a second lookup cannot return another one (DNS rebinding). No cookies or credentials are sent.
 * @throws GatewayError `fetch_failed`, whose message is the end of a sentence about the address, or `canceled` when the client leaves
 */
export async function fetchAddress(
  url: string,
  request: FetchRequest,
  reach: Reach,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const deadline = AbortSignal.timeout(request.maxMs);
  try {
    return await follow(url, request, reach, anySignal([signal, deadline]));
  } catch (thrown) {
    if (signal.aborted) throw new GatewayError("canceled", "The client left before the reply began.");
    if (thrown instanceof GatewayError) throw thrown;
    if (deadline.aborted) throw failed(`it took longer than ${request.maxMs / 1000} seconds`);
    throw failed(describe(thrown), thrown);
  }
}

async function follow(url: string, request: FetchRequest, reach: Reach, signal: AbortSignal): Promise<Uint8Array> {
  let address = url;
  for (let hops = 0; hops <= request.maxRedirects; hops++) {
    const target = check(address, reach.allows);
    const response = await get(target, request.accept, reach, signal);
    try {
      const { statusCode, headers } = response;
      if (!redirects.includes(statusCode)) return await read(response, request);
      const { location = "" } = headers;
      if (!URL.canParse(location, target.href)) throw failed("it redirects to an invalid address");
      address = new URL(location, target).href;
    } finally {
      response.destroy();
    }
  }
  throw failed(`it redirects more than ${request.maxRedirects} times`);
}

/** Checks an address. `URL` has normalised odd spellings of IP addresses (`0x7f.1`, `2130706433`). */
function check(address: string, allows: AddressPolicy): URL {
  const url = new URL(address);
  if (url.protocol !== "http:" && url.protocol !== "https:") throw failed("its scheme is neither http nor https");
  if (url.username !== "" || url.password !== "") throw failed("it contains a user name or password");
  if (!allows(url.hostname.replace(/^\[|\]$/g, ""))) throw notPublic();
  return url;
}

function get(url: URL, accept: string, { allows, lookup }: Reach, signal: AbortSignal): Promise<IncomingMessage> {
  const checkedLookup: LookupFunction = (name, { all }, callback) => {
    lookup(name).then(
      (found) => {
        const [first] = found;
        if (first === undefined || !found.every(({ address }) => allows(address))) callback(notPublic(), "");
        else if (all) callback(null, [...found]);
        else callback(null, first.address, first.family);
      },
      (thrown) => callback(thrown, ""),
    );
  };
  return new Promise((resolve, reject) => {
    const { request } = url.protocol === "https:" ? https : http;
    // An agent of its own: the request shares no connection and uses no proxy of the process.
    request(url, {
      agent: false,
      lookup: checkedLookup,
      signal,
      headers: { accept, "accept-encoding": "identity", "user-agent": "curlew" },
    })
      .on("response", resolve)
      .on("error", reject)
      .end();
  });
}

async function read(response: IncomingMessage, { maxBytes, checkType }: FetchRequest): Promise<Uint8Array> {
  const { statusCode, headers } = response;
  if (statusCode !== 200) throw failed(`the answer was status ${statusCode}`);
  checkType((headers["content-type"] ?? "").replace(/;.*/s, "").trim().toLowerCase());
  const tooLarge = failed(`it is larger than ${Math.floor(maxBytes / 1024 / 1024)} MiB`);
  if (Number(headers["content-length"]) > maxBytes) throw tooLarge;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function failed(why: string, cause?: unknown): GatewayError {
  return new GatewayError("fetch_failed", why, { cause });
}

function notPublic(): GatewayError {
  return failed("it is not on the public internet, and nothing is fetched from private addresses");
}

function describe(thrown: unknown): string {
  const code = codeOf(thrown);
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "its host name cannot be resolved";
  if (/CERT|TLS|SSL|EPROTO/.test(code)) return `the TLS connection failed (${code})`;
  return code === "" ? "the connection failed" : `the connection failed (${code})`;
}
