import { fromBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import {
  AiService,
  DashboardService,
  ErrorDetails_Error,
  ErrorDetailsSchema,
  ServerConfigService,
} from "@curlew/wire/gen/aiserver_v1_pb.js";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { tokenFor } from "../../../testing/simulator/rest-client.js";
import { startedOnce } from "../../../testing/started.js";
import { defaultOptions, startSimulator } from "../index.js";

const simulator = startedOnce(() => startSimulator());
let token: string;
beforeAll(async () => {
  token = await tokenFor(simulator, "crsr_services");
});
beforeEach(() => {
  simulator.configure(defaultOptions);
  simulator.reset();
});

const as = (bearer: string, more: Record<string, string> = {}) => ({
  headers: { authorization: `Bearer ${bearer}`, ...more },
});

async function failureOf(call: Promise<unknown>): Promise<ConnectError> {
  return call.then(
    () => new ConnectError("the call went through"),
    (thrown) => ConnectError.from(thrown),
  );
}

describe.each([
  { httpVersion: "1.1", useBinaryFormat: true },
  { httpVersion: "1.1", useBinaryFormat: false },
  { httpVersion: "2", useBinaryFormat: true },
  { httpVersion: "2", useBinaryFormat: false },
] as const)("unary calls over HTTP/$httpVersion, binary $useBinaryFormat", ({ httpVersion, useBinaryFormat }) => {
  const transport = () => createConnectTransport({ baseUrl: simulator.url, httpVersion, useBinaryFormat });
  const localhost = () => simulator.url.replace("127.0.0.1", "localhost");

  it("name the host that they were sent to as the agent's, or the configured one", async () => {
    const named = createConnectTransport({ baseUrl: localhost(), httpVersion, useBinaryFormat });
    const config = createClient(ServerConfigService, named);
    const agentHost = async () => (await config.getServerConfig({}, as(token))).agentUrlConfig?.agentUrl;
    expect(await agentHost()).toBe(localhost());
    simulator.configure({ agentUrl: "https://agent.api5.cursor.sh" });
    expect(await agentHost()).toBe("https://agent.api5.cursor.sh");
  });

  it("advise the configured transport, at this address", async () => {
    const agentUrlConfig = { agentUrl: simulator.url, agentnUrl: simulator.url };
    const config = createClient(ServerConfigService, transport());
    expect(await config.getServerConfig({}, as(token))).toMatchObject({ http2Config: 2, agentUrlConfig });
    simulator.configure({ transport: "h1" });
    expect(await config.getServerConfig({}, as(token))).toMatchObject({ http2Config: 1, agentUrlConfig });
    expect(await createClient(AiService, transport()).getServerConfig({}, as(token))).toMatchObject({ http2Config: 1 });
  });

  it("return the configured privacy mode", async () => {
    const dashboard = createClient(DashboardService, transport());
    expect((await dashboard.getUserPrivacyMode({}, as(token))).privacyMode).toBe(1);
    simulator.configure({ privacyMode: 4 });
    expect((await dashboard.getUserPrivacyMode({}, as(token))).privacyMode).toBe(4);
  });

  it("refuse a token that is missing, expired, unknown or of a flagged account", async () => {
    simulator.configure({ tokenTtlSeconds: 0 });
    const expired = await tokenFor(simulator, "crsr_short");
    simulator.configure(defaultOptions);
    const flagged = await tokenFor(simulator, "crsr_flagged");
    const dashboard = createClient(DashboardService, transport());
    for (const [options, error] of [
      [{}, ErrorDetails_Error.NOT_LOGGED_IN],
      [as(expired), ErrorDetails_Error.NOT_LOGGED_IN],
      [as("crsr_services"), ErrorDetails_Error.NOT_LOGGED_IN],
      [as(flagged), ErrorDetails_Error.UNAUTHORIZED],
    ] as const) {
      const failure = await failureOf(dashboard.getMe({}, options));
      expect(failure.code).toBe(Code.Unauthenticated);
      expect(failure.rawMessage).toBe("Error");
      expect(failure.findDetails(ErrorDetailsSchema)).toMatchObject([{ error, details: { isRetryable: false } }]);
    }
  });

  it("tell a denied version to update", async () => {
    simulator.configure({ deniedVersions: ["cli-old"] });
    const ai = createClient(AiService, transport());
    const failure = await failureOf(ai.getUsableModels({}, as(token, { "x-cursor-client-version": "cli-old" })));
    expect(failure.code).toBe(Code.PermissionDenied);
    expect(failure.findDetails(ErrorDetailsSchema)).toMatchObject([{ error: ErrorDetails_Error.OUTDATED_CLIENT }]);
    await ai.getUsableModels({}, as(token, { "x-cursor-client-version": "cli-new" }));
  });

  it("fail with the error that a model name asks for", async () => {
    const ai = createClient(AiService, transport());
    const failing = (name: string) => failureOf(ai.getUsableModels({ customModelIds: [name] }, as(token)));
    const slow = await failing("sim-error-63-unavailable");
    expect(slow.code).toBe(Code.Unavailable);
    expect(slow.findDetails(ErrorDetailsSchema)).toMatchObject([{ error: ErrorDetails_Error.SLOW_POOL }]);
    expect((await failing("sim-error-9")).code).toBe(Code.ResourceExhausted);
    expect((await failing("sim-error-9-internal.bare")).details).toEqual([]);
  });
});

describe("the wire format", () => {
  const post = (path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>) =>
    fetch(simulator.url + path, { method: "POST", body, headers: { authorization: `Bearer ${token}`, ...headers } });
  const json = { "content-type": "application/json" };
  const proto = { "content-type": "application/proto" };

  it("names enums in JSON and repeats the details in readable form", async () => {
    const response = await fetch(`${simulator.url}/aiserver.v1.DashboardService/GetMe`, {
      method: "POST",
      headers: proto,
    });
    expect(response.status).toBe(401);
    expect(response.headers.get("content-type")).toContain("application/json");
    const body = (await response.json()) as { details: { value: string }[] };
    expect(body).toMatchObject({
      code: "unauthenticated",
      message: "Error",
      details: [
        {
          type: "aiserver.v1.ErrorDetails",
          debug: { error: "ERROR_NOT_LOGGED_IN", details: { isRetryable: false }, isExpected: true },
        },
      ],
    });
    const value = Buffer.from(body.details[0]?.value ?? "", "base64");
    expect(fromBinary(ErrorDetailsSchema, value).error).toBe(ErrorDetails_Error.NOT_LOGGED_IN);
    expect(body.details[0]?.value).not.toContain("=");
  });

  it.each([
    ["sim-error-57-unavailable.debug.provider529", { value: "", debug: { error: "ERROR_PROVIDER_ERROR" } }],
    ["sim-error-57-unavailable.value", { value: expect.stringMatching(/^CDk/) }],
    ["sim-error-57.provider429", { debug: { details: { additionalInfo: { providerStatusCode: "429" } } } }],
    ["sim-error-9999", { debug: { error: 9999 } }],
  ])("can show the details of %s in that form", async (name, detail) => {
    const body = JSON.stringify({ customModelIds: [name] });
    const response = await post("/aiserver.v1.AiService/GetUsableModels", body, json);
    const { details } = (await response.json()) as { details: object[] };
    expect(details).toMatchObject([detail]);
    if (name.endsWith(".value")) expect(details[0]).not.toHaveProperty("debug");
  });

  it("knows no other method", async () => {
    expect((await post("/aiserver.v1.DashboardService/Unheard", "{}", json)).status).toBe(404);
  });
});
