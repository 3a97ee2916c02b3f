import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { startScriptedServer } from "../../testing/gateway/scripted-server.js";
import { startedOnce } from "../../testing/started.js";

const server = startedOnce(() => startScriptedServer({ steps: [] }));

/** Every route that an official package requests, as `GET /files/x`, from the text of its modules. */
function routesOf(entry: string): string[] {
  const folder = join(dirname(fileURLToPath(import.meta.resolve(entry))), "resources");
  const modules = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".mjs"));
  const routes = modules.flatMap((name) => {
    const calls = readFileSync(join(folder, name), "utf8").matchAll(
      /_client\.(get|post|put|patch|delete)\w*\(\s*(?:path\s*)?[`'"](\/[^`'"?]*)/gi,
    );
    return [...calls].map(
      ([, method = "", path = ""]) => `${method.toUpperCase()} ${path.replace(/\$\{[^}]*\}/g, "x")}`,
    );
  });
  return [...new Set(routes)].sort();
}

describe.each([
  {
    entry: "openai",
    base: "/v1",
    headers: {},
    some: ["POST /responses/x/cancel", "GET /models/x", "POST /embeddings"],
  },
  {
    entry: "@anthropic-ai/sdk",
    base: "",
    headers: { "anthropic-version": "2023-06-01" },
    some: ["POST /v1/messages/batches/x/cancel", "GET /v1/models/x", "GET /v1/files/x/content"],
  },
])("every route of $entry", ({ entry, base, headers, some }) => {
  it("is served, or refused with what to do instead", async () => {
    const routes = routesOf(entry);
    expect(routes).toEqual(expect.arrayContaining(some));
    expect(routes.length).toBeGreaterThan(100);
    const lost: string[] = [];
    for (const route of routes) {
      const [method = "", path = ""] = route.split(" ");
      const response = await fetch(server.url + base + path, {
        method,
        headers: { ...headers, "content-type": "application/json" },
        ...(method !== "GET" && { body: "{}" }),
      });
      const { error } = (await response.json()) as { error?: { code: string } };
      if (error?.code === "route_not_found" || error?.code === "method_not_allowed") lost.push(route);
    }
    expect(lost).toEqual([]);
  });
});
