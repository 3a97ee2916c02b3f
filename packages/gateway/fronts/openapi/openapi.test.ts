import { createRoutes } from "@curlew/cli/app/server.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { beforeAll, describe, expect, it } from "vitest";
import { postJson } from "../../../../testing/clients/post-json.js";
import { askedServer, hello } from "../../../../testing/gateway/asked-server.js";
import { startScriptedServer } from "../../../../testing/gateway/scripted-server.js";
import { startedOnce } from "../../../../testing/started.js";
import { describeRoutes, plainPath } from "../dialect.js";
import { dialects } from "../dialects.js";
import { openaiChat } from "../openai-chat/index.js";
import { writeDocument } from "./document.js";

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

interface Operation {
  operationId: string;
  summary: string;
  parameters?: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>;
  security?: object[];
}
interface Document {
  openapi: string;
  info: { title: string; version: string };
  security: Record<string, string[]>[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object>; securitySchemes: Record<string, object> };
}

const models = [{ id: "default", name: "Auto", aliases: ["auto"], canThink: true, contextTokens: 1_000 }];
const server = startedOnce(() => startScriptedServer({ steps: hello, models }));
let document: Document;
beforeAll(async () => {
  document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document;
});

const operations = () =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ path, method, operation }];
    }),
  );

describe("the description of the API", () => {
  it("has exactly the server's routes for clients", () => {
    const served = createRoutes(server.deps)
      .router.routes.filter(({ method, path }) => method !== "WS" && !/^\/(?:admin|assets)\//.test(path))
      .map(({ method, path }) => `${method} ${plainPath(path)}`);
    const described = Object.entries(document.paths).flatMap(([path, item]) => {
      const { $ref } = item as { $ref?: string };
      const target = $ref === undefined ? item : document.paths[unescapePointer($ref.replace("#/paths/", ""))];
      return Object.keys(target ?? {}).map((method) => `${method.toUpperCase()} ${path}`);
    });
    expect(described.sort()).toEqual([...new Set(served)].sort());
  });

  it("is valid OpenAPI 3.1", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(document.info).toMatchObject({ title: "Curlew", version: "1.2.3" });
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const scheme of document.security.flatMap(Object.keys)) {
      expect(document.components.securitySchemes).toHaveProperty(scheme);
    }
    for (const { path, operation } of operations()) {
      expect(operation.operationId, path).toMatch(/^[a-z][A-Za-z]+$/);
      expect(operation.summary, path).toMatch(/\.$/);
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = (operation.parameters ?? []).filter((each) => each.in === "path");
      expect(declared.map(({ name }) => name)).toEqual(inPath);
      expect(declared.every(({ required }) => required)).toBe(true);
      expect(Object.keys(operation.responses)).toEqual(["200", "default"]);
      for (const { description } of Object.values(operation.responses)) expect(description).not.toBe("");
      expect(operation.responses.default?.content).toHaveProperty("application/json");
    }
  });

  it("marks routes that need no key", () => {
    const open = operations().filter(({ operation }) => operation.security?.length === 0);
    expect(open.map(({ path }) => path)).toEqual(["/", "/api/hello", "/health"]);
  });

  it("has no dangling reference", () => {
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref = ""]) => ref);
    expect(refs.length).toBeGreaterThan(10);
    for (const ref of refs) expect(follow(ref), ref).toBeTypeOf("object");
  });

  it("has a route without /v1 once, with its stream", () => {
    const fronts = openaiChat.fronts.map((front) => ({ ...front, path: "/api/chat" }));
    const { paths } = writeDocument(describeRoutes({ ...openaiChat, fronts }), "1.2.3");
    expect(Object.keys(paths)).toEqual(["/api/chat"]);
    expect(paths["/api/chat"]).toMatchObject({
      post: { responses: { 200: { content: { "application/json": {}, "text/event-stream": {} } } } },
    });
  });

  it("is written once", async () => {
    const again = await fetch(`${server.url}/openapi.json`);
    expect(again.headers.get("content-type")).toBe("application/json");
    expect(await again.json()).toEqual(document);
    expect(server.backend.exchanges).toHaveLength(0);
  });

  it("requires the key", async () => {
    const closed = await askedServer({ config: { key: "a-gateway-key-0123" } });
    expect((await closed.ask("/openapi.json")).status).toBe(401);
  });
});

describe("the described format", () => {
  const messages = [{ role: "user", content: "hi" }];
  const posts = dialects
    .flatMap(describeRoutes)
    .filter(({ method, request }) => method === "post" && request !== undefined)
    .filter(({ path }) => !path.startsWith("/v1/conversations")) // they need no model
    .map(({ path }) => path);
  const anthropic = { "anthropic-version": "2023-06-01" };

  const post = (path: string, body: object) => postJson(server.url + path, body);

  /** The request asks for a whole answer: some dialects stream by default. */
  const words = { messages, input: "hi", prompt: "Once" };
  const others = { model: "auto", stream: false, max_tokens: 100 };

  /** A request with the fields that the route's own description names. */
  function sampleFor(schema: object | undefined): object {
    const { $ref = "" } = schema as { $ref?: string };
    const { properties = {} } = follow($ref) as { properties?: object };
    const has = ([name]: [string, unknown]) => Object.hasOwn(properties, name);
    return Object.fromEntries([
      ...Object.entries(others).filter(has),
      ...Object.entries(words).filter(has).slice(0, 1),
    ]);
  }

  it.each(posts)("is kept by POST %s", async (path) => {
    const operation = document.paths[path]?.post;
    const schema = operation?.requestBody?.content["application/json"]?.schema;
    const body = sampleFor(schema);
    check(schema, body);
    const response = await post(path, body);
    expect(response.status).toBe(200);
    check(operation?.responses["200"]?.content?.["application/json"]?.schema, await response.json());
  });

  it.each(posts)("is kept by the errors of POST %s", async (path) => {
    const operation = document.paths[path]?.post;
    const schema = operation?.requestBody?.content["application/json"]?.schema;
    for (const body of [{ ...sampleFor(schema), model: 5 }, {}]) {
      expect(() => check(schema, body)).toThrow();
      const response = await post(path, body);
      expect(response.status).toBe(400);
      check(operation?.responses.default?.content?.["application/json"]?.schema, await response.json());
    }
  });

  it.each<[string, Record<string, string>]>([
    ["/v1/models", {}],
    ["/v1/models", anthropic],
    ["/v1/models/{id}", {}],
    ["/v1/models/{id}", anthropic],
    ["/v1/usage", {}],
    ["/", {}],
    ["/health", {}],
    ["/openapi.json", {}],
  ])("is kept by GET %s", async (path, headers) => {
    const response = await fetch(server.url + path.replace("{id}", "auto"), { headers });
    expect(response.status).toBe(200);
    const schema = document.paths[path]?.get?.responses["200"]?.content?.["application/json"]?.schema;
    check(schema, await response.json());
  });

  it("is kept by the routes of stored responses", async () => {
    const created = await post("/v1/responses", { model: "auto", input: "hi" });
    const { id } = (await created.json()) as { id: string };
    for (const [method, path] of [
      ["GET", "/v1/responses/{id}"],
      ["GET", "/v1/responses/{id}/input_items"],
      ["DELETE", "/v1/responses/{id}"],
    ] as const) {
      const response = await fetch(server.url + path.replace("{id}", id), { method });
      expect(response.status).toBe(200);
      const operation = document.paths[path]?.[method.toLowerCase()];
      check(operation?.responses["200"]?.content?.["application/json"]?.schema, await response.json());
    }
  });

  it("is kept by the routes of conversations", async () => {
    const items = [{ role: "user", content: "hi" }];
    const created = await post("/v1/conversations", { items, metadata: { a: "b" } });
    const { id } = (await created.json()) as { id: string };
    const added = (await (await post(`/v1/conversations/${id}/items`, { items })).json()) as { first_id: string };
    for (const [method, path, sent] of [
      ["POST", "/v1/conversations", {}],
      ["GET", "/v1/conversations/{id}"],
      ["POST", "/v1/conversations/{id}", { metadata: null }],
      ["GET", "/v1/conversations/{id}/items"],
      ["POST", "/v1/conversations/{id}/items", { items }],
      ["GET", "/v1/conversations/{id}/items/{item_id}"],
      ["DELETE", "/v1/conversations/{id}/items/{item_id}"],
      ["DELETE", "/v1/conversations/{id}"],
    ] as const) {
      const address = server.url + path.replace("{id}", id).replace("{item_id}", added.first_id);
      const operation = document.paths[path]?.[method.toLowerCase()];
      if (sent !== undefined) check(operation?.requestBody?.content["application/json"]?.schema, sent);
      const response = await (sent === undefined ? fetch(address, { method }) : postJson(address, sent));
      expect(response.status).toBe(200);
      check(operation?.responses["200"]?.content?.["application/json"]?.schema, await response.json());
    }
  });

  it.each([
    ["GET", "/v1/responses/{id}"],
    ["GET", "/v1/conversations/{id}"],
    ["POST", "/v1/responses/{id}/cancel"],
    ["GET", "/v1/models/{id}"],
  ])("is kept by the errors of %s %s", async (method, path) => {
    const operation = document.paths[path]?.[method.toLowerCase()];
    const response = await fetch(server.url + path.replace("{id}", "nope"), { method });
    expect(response.ok).toBe(false);
    check(operation?.responses.default?.content?.["application/json"]?.schema, await response.json());
  });
});

/** Validates against a schema of the document, and checks the schema itself against JSON Schema's own rules. */
function check(schema: object | undefined, value: unknown): void {
  expect(schema).toBeDefined();
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
  ajv.addVocabulary(["components"]);
  addFormats.default(ajv);
  const validate = ajv.compile({ ...schema, components: document.components });
  if (!validate(value)) throw new Error(ajv.errorsText(validate.errors));
}

function follow(ref: string): unknown {
  return ref
    .replace("#/", "")
    .split("/")
    .reduce<unknown>((at, step) => Reflect.get(Object(at), unescapePointer(step)), document);
}

function unescapePointer(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}
