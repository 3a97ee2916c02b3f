import type { RequestListener, ServerResponse } from "node:http";
import { create, toBinary } from "@bufbuild/protobuf";
import { GetUsableModelsResponseSchema } from "@curlew/wire/gen/agent_v1_pb.js";
import { AvailableModelsResponseSchema } from "@curlew/wire/gen/aiserver_v1_pb.js";
import { describe, expect, it } from "vitest";
import { serveHttp } from "../../../../testing/network/serve-http.js";
import { sampleProfile } from "../../../../testing/samples/sample-profile.js";
import { createNetwork } from "../../network/index.js";
import { listModels, listRestModels } from "./models.js";
import { signedCalls } from "./signed-calls.js";

type Answers = Readonly<Record<string, RequestListener>>;
const usable = toBinary(
  GetUsableModelsResponseSchema,
  create(GetUsableModelsResponseSchema, { models: [{ modelId: "x-high", displayModelId: "x" }] }),
);
const available = toBinary(
  AvailableModelsResponseSchema,
  create(AvailableModelsResponseSchema, {
    models: [{ name: "x", contextTokenLimit: 100, parameterDefinitions: [{ id: "fast" }] }],
  }),
);
const proto = (bytes: Uint8Array) => (_: unknown, response: ServerResponse) => {
  response.writeHead(200, { "content-type": "application/proto" }).end(bytes);
};
const status = (code: number) => (_: unknown, response: ServerResponse) => response.writeHead(code).end();
const silence = () => {};

const network = createNetwork();

/** Lists models from a server with these answers, keyed by the last word of the path. */
async function list(answers: Answers, { apiKey }: { apiKey?: string } = {}) {
  const seen: string[] = [];
  const backendUrl = await serveHttp((request, response) => {
    const name = request.url?.split("/").at(-1) ?? "";
    seen.push(`${name} ${request.headers.authorization}`);
    request.resume();
    (answers[name] ?? status(404))(request, response);
  });
  const tokens = { get: async () => "token", renew: async () => "renewed" };
  const calls = signedCalls({
    backendUrl,
    client: { version: "any", userAgent: "any" },
    network,
    tokens,
    headers: () => ({}),
  });
  const restModels =
    apiKey === undefined
      ? undefined
      : (signal: AbortSignal) =>
          listRestModels({ backendUrl, hosts: sampleProfile.hosts, apiKey, headers: {}, network }, signal);
  const models = await listModels({ calls, restModels }, AbortSignal.timeout(10_000));
  return { models, seen: seen.sort() };
}

describe("listing models", () => {
  it("is repeated once with a new token when Cursor refuses the old one", async () => {
    const answers: Answers = {
      GetUsableModels: (request, response) =>
        request.headers.authorization === "Bearer renewed"
          ? proto(usable)(request, response)
          : status(401)(request, response),
      AvailableModels: status(404),
    };
    const { models, seen } = await list(answers);
    expect(models.length).toBeGreaterThan(0);
    expect(seen.filter((line) => line.startsWith("GetUsable"))).toEqual([
      "GetUsableModels Bearer renewed",
      "GetUsableModels Bearer token",
    ]);
    await expect(list({ GetUsableModels: status(401) })).rejects.toMatchObject({ kind: "authentication" });
  });

  it("joins the lists, and sends the key only to the documented one", async () => {
    const rest = (_: unknown, response: ServerResponse) =>
      response.end(JSON.stringify({ items: [{ id: "x", aliases: ["ex"] }, { id: 7 }, null] }));
    const { models, seen } = await list(
      { GetUsableModels: proto(usable), AvailableModels: proto(available), models: rest },
      { apiKey: "crsr_own" },
    );
    expect(models).toMatchObject([
      { id: "x-high", base: "x", aliases: ["x", "ex"], contextTokens: 100, parameters: [{ id: "fast", values: [] }] },
    ]);
    expect(seen).toEqual(["AvailableModels Bearer token", "GetUsableModels Bearer token", "models Bearer crsr_own"]);
  });

  it("does without the documented list, without a key", async () => {
    const { seen } = await list({ GetUsableModels: proto(usable), AvailableModels: proto(available) });
    expect(seen).toEqual(["AvailableModels Bearer token", "GetUsableModels Bearer token"]);
  });

  it.each([
    ["fail", { AvailableModels: status(500), models: status(401) }],
    ["are silent for two seconds", { AvailableModels: silence, models: silence }],
  ])("does without lists that %s", async (_, answers: Answers) => {
    const { models } = await list({ GetUsableModels: proto(usable), ...answers }, { apiKey: "crsr_own" });
    expect(models).toEqual([{ id: "x-high", name: "x-high", aliases: ["x"], canThink: false }]);
  });

  it("fails without the list of usable models", async () => {
    await expect(list({ GetUsableModels: status(503), AvailableModels: proto(available) })).rejects.toMatchObject({
      code: "upstream_overloaded",
    });
  });

  it("does not mistake a web page for a lost login", async () => {
    const page = (_: unknown, response: ServerResponse) =>
      response.writeHead(403, { "content-type": "text/html" }).end();
    await expect(list({ GetUsableModels: page })).rejects.toMatchObject({ code: "network_blocked" });
  });
});
