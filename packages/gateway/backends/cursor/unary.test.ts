import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { create, toBinary } from "@bufbuild/protobuf";
import { AiService, ErrorDetails_Error } from "@curlew/wire/gen/aiserver_v1_pb.js";
import { beforeEach, describe, expect, it } from "vitest";
import { serveHttp } from "../../../../testing/network/serve-http.js";
import { ask, createNetwork } from "../../network/index.js";
import { endFrame } from "./error.cases.js";
import { callInJson, callUnary } from "./unary.js";

let seen: { url: string | undefined; headers: IncomingHttpHeaders }[];
let answer: (response: ServerResponse) => void;
let backendUrl: string;
beforeEach(async () => {
  seen = [];
  backendUrl = await serveHttp((request, response) => {
    seen.push({ url: request.url, headers: request.headers });
    request.resume().on("end", () => answer(response));
  });
});

const caller = () => ({
  backendUrl,
  network: createNetwork(),
  userAgent: "connect-es/1.6.1",
  token: "secret",
  signal: new AbortController().signal,
});
const named = toBinary(
  AiService.method.nameAgent.output,
  create(AiService.method.nameAgent.output, { name: "A name" }),
);
const proto = (response: ServerResponse) => response.writeHead(200, { "content-type": "application/proto" }).end(named);
const say =
  (status: number, body = "", type?: string) =>
  (response: ServerResponse) =>
    response.writeHead(status, type === undefined ? {} : { "content-type": type }).end(body);
const nameAgent = (more: object = {}) =>
  callUnary(AiService.method.nameAgent, { userMessage: "Hello" }, { ...caller(), ...more });

describe("a unary call", () => {
  it("is a Connect call in protobuf, with no header that Cursor's own clients do not send", async () => {
    answer = proto;
    expect(await nameAgent({ headers: { "x-ghost-mode": "true" } })).toMatchObject({ name: "A name" });
    const [{ url, headers } = { url: "", headers: {} }] = seen;
    expect(url).toBe("/aiserver.v1.AiService/NameAgent");
    expect(headers).toEqual({
      host: headers.host,
      connection: "close",
      authorization: "Bearer secret",
      "accept-encoding": "identity",
      "connect-protocol-version": "1",
      "content-length": "7",
      "content-type": "application/proto",
      "user-agent": "connect-es/1.6.1",
      "x-ghost-mode": "true",
    });
  });

  it("sends its time limit to the server", async () => {
    answer = proto;
    await nameAgent({ timeoutMs: 600_000 });
    expect(seen[0]?.headers["connect-timeout-ms"]).toBe("600000");
  });

  it("times out", async () => {
    answer = () => {};
    await expect(nameAgent({ timeoutMs: 20 })).rejects.toMatchObject({
      code: "upstream_unreachable",
      isRetryable: true,
      message: expect.stringContaining("(it did not answer in time)"),
    });
  });

  it("is canceled when its caller leaves", async () => {
    const leaving = new AbortController();
    answer = () => leaving.abort();
    await expect(nameAgent({ signal: leaving.signal })).rejects.toMatchObject({ code: "canceled" });
  });

  it.each([
    ["Cursor's own error", say(403, connectError(), "application/json"), { code: "plan_required" }],
    ["a bare 401", say(401), { kind: "authentication" }],
    ["a bare 429", say(429), { kind: "rate-limit" }],
    ["a bare 503", say(503), { code: "upstream_overloaded", isRetryable: true }],
    ["a bare 404", say(404), { code: "upstream_error", isRetryable: false }],
    ["a web page", say(403, "<html>", "text/html"), { code: "network_blocked" }],
    ["a web page under 200", say(200, "<html>", "text/html"), { code: "network_blocked" }],
    ["JSON under 200", say(200, "{}", "application/json"), { code: "network_blocked" }],
    ["invalid protobuf", say(200, "\xff\xff\xff", "application/proto"), { code: "network_blocked" }],
    ["a redirect", say(307), { code: "network_blocked" }],
    ["a closed connection", (response: ServerResponse) => response.destroy(), { code: "upstream_unreachable" }],
  ])("maps %s to the same error as all other calls", async (_, response, error) => {
    answer = response;
    await expect(nameAgent()).rejects.toMatchObject(error);
  });
});

describe("a unary call in JSON", () => {
  const call = () => callInJson("aiserver.v1.DashboardService/GetPlanInfo", {}, caller());

  it("goes to the same address and takes JSON of any type", async () => {
    answer = say(200, '{"plan":1}');
    expect(await call()).toEqual({ plan: 1 });
    expect(seen[0]).toMatchObject({
      url: "/aiserver.v1.DashboardService/GetPlanInfo",
      headers: { "content-type": "application/json" },
    });
  });

  it.each([
    ["Cursor's own error", say(403, connectError()), { code: "plan_required" }],
    ["no JSON", say(200, "hello"), { code: "network_blocked" }],
    ["a bare 500", say(500), { code: "upstream_error", isRetryable: true }],
  ])("maps %s to the same error as all other calls", async (_, response, error) => {
    answer = response;
    await expect(call()).rejects.toMatchObject(error);
  });
});

it("asks outside of Cursor's services in the same way, without judging the status", async () => {
  answer = say(418, "tea");
  const { network, signal } = caller();
  const { status, body } = await ask(network, new URL("/auth/poll", backendUrl), { signal });
  expect([status, body.toString("utf8")]).toEqual([418, "tea"]);
});

function connectError(): string {
  const end: { error: unknown } = JSON.parse(
    endFrame({ code: "permission_denied", error: ErrorDetails_Error.PRO_USER_ONLY }),
  );
  return JSON.stringify(end.error);
}
