import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { afterAll, beforeEach, describe } from "vitest";
import { defaultOptions, type Simulator } from "../../packages/simulator/index.js";
import { startedOnce } from "../started.js";
import { startSimulator } from "./strict-simulator.js";

interface Init {
  key?: string;
  authorization?: string;
  body?: unknown;
}

type RestClient = ReturnType<typeof restClient>;

/** Describes REST routes over both HTTP versions. The simulator is as it was at its start before each test. */
export function describeRest(title: string, tests: (client: RestClient, simulator: Simulator) => void): void {
  describe.each(["1.1", "2"] as const)(`over HTTP/%s, ${title}`, (httpVersion) => {
    const simulator = startedOnce(() => startSimulator({ strict: false }));
    beforeEach(() => {
      simulator.configure(defaultOptions);
      simulator.reset();
    });
    const client = restClient(httpVersion, simulator);
    afterAll(client.close);
    tests(client, simulator);
  });
}

/** Calls REST routes over either HTTP version. */
function restClient(httpVersion: "1.1" | "2", simulator: Simulator) {
  let session: ClientHttp2Session | undefined;

  async function call(method: string, path: string, { key, authorization, body }: Init = {}) {
    const bearer = key === undefined ? authorization : `Bearer ${key}`;
    const headers = {
      "content-type": "application/json",
      ...(bearer !== undefined && { authorization: bearer }),
    };
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const send = httpVersion === "2" ? overHttp2 : overHttp1;
    const answer = await send(method, path, headers, text);
    const isJson = answer.headers.get("content-type")?.includes("json");
    return { ...answer, body: isJson ? JSON.parse(answer.body) : answer.body };
  }

  async function overHttp1(method: string, path: string, headers: Record<string, string>, body = "") {
    const response = await fetch(simulator.url + path, { method, headers, ...(body !== "" && { body }) });
    return { status: response.status, headers: response.headers, body: await response.text() };
  }

  async function overHttp2(method: string, path: string, headers: Record<string, string>, body = "") {
    session ??= connect(simulator.url);
    const stream = session.request({ ":method": method, ":path": path, ...headers }, { endStream: false });
    stream.setEncoding("utf8").end(body);
    const [{ ":status": status, ...fields }] = await once(stream, "response");
    let text = "";
    for await (const chunk of stream) text += chunk;
    return { status: Number(status), headers: new Headers(Object.entries<string>(fields)), body: text };
  }

  return {
    call,
    exchange: (key: string) => call("POST", "/auth/exchange_user_api_key", { key, body: {} }),
    /** The session token of a browser login whose page was not opened. */
    async logIn(): Promise<string> {
      const body = { uuid: randomUUID(), verifier: "v".repeat(43) };
      await call("POST", "/auth/poll", { body });
      return (await call("POST", "/auth/poll", { body })).body.accessToken;
    },
    close: () => session?.destroy(),
  };
}

export function claimsOf(token: string) {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
}

/** The access token that the simulator gives for an API key. */
export async function tokenFor({ url }: Simulator, key: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/auth/exchange_user_api_key`, { method: "POST", headers, body: "{}" });
  return ((await response.json()) as { accessToken: string }).accessToken;
}
