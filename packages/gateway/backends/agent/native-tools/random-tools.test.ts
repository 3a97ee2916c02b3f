import { expect, it } from "vitest";
import { fits, ROOT, Run } from "../../../core/formats/json-schema/node.js";
import { readSchema } from "../../../core/formats/json-schema/read-schema.js";
import { Steps } from "../../../core/formats/steps.js";
import { isObject, type JsonObject } from "../../../turn/read-json.js";
import type { ToolDefinition } from "../../../turn/turn.js";
import { seeded } from "../../seeded.cases.js";
import { clients, clientTools } from "./client-tools.cases.js";
import { mapNativeExec } from "./map-native-exec.js";
import { nativeExecs } from "./native-execs.cases.js";

function isFitting(value: unknown, schema: JsonObject): boolean {
  return fits(
    readSchema(schema, "2020-12", () => {}),
    value,
    ROOT,
    new Run(new Steps(1_000_000)),
  );
}

const odd: readonly unknown[] = [
  { type: "integer" },
  { type: "boolean" },
  { type: ["number", "null"], minimum: 3 },
  { type: "string", enum: ["one", "two"] },
  { type: "array", items: { type: "string" } },
  { type: "array", items: { type: "object", properties: { path: { type: "string" } }, required: ["path"] } },
  { anyOf: [{ type: "null" }, { type: "string", minLength: 4 }] },
  { type: "object", properties: {}, required: ["x"] },
];

/** The tool with some parameters changed in type, made required or removed. */
function disturbed(tool: ToolDefinition, random: () => number): ToolDefinition {
  const { properties, required, ...rest } = tool.inputSchema;
  const kept = Object.entries(isObject(properties) ? properties : {})
    .filter(() => random() < 0.9)
    .map(([name, schema]) => [name, random() < 0.15 ? odd[Math.floor(random() * odd.length)] : schema] as const);
  const demanded = kept.map(([name]) => name).filter(() => random() < 0.2);
  const before = Array.isArray(required)
    ? required.filter((name) => random() < 0.95 || !kept.some(([own]) => own === name))
    : [];
  return {
    ...tool,
    inputSchema: { ...rest, properties: Object.fromEntries(kept), required: [...new Set([...before, ...demanded])] },
  };
}

it("fills arguments that fit the schema of the chosen tool, for random tools", () => {
  const all = clients.flatMap((client) => clientTools[client]);
  const dice = seeded(20_251);
  const random = () => dice() / 2 ** 32;
  let calls = 0;
  let refusals = 0;
  for (let round = 0; round < 400; round++) {
    const tools = all.filter(() => random() < 0.15).map((tool) => (random() < 0.6 ? disturbed(tool, random) : tool));
    for (const [kind, exec] of Object.entries(nativeExecs)) {
      const call = mapNativeExec(exec, tools);
      if (call === undefined) {
        refusals += 1;
        continue;
      }
      calls += 1;
      // Two tools may share a name here, unlike in a client.
      const chosen = tools.filter(({ name }) => name === call.name);
      const input: unknown = JSON.parse(call.input);
      if (!chosen.some(({ inputSchema }) => isFitting(input, inputSchema))) {
        expect({ round, kind, name: call.name, input, chosen }).toEqual("arguments that fit");
      }
    }
  }
  expect(calls).toBeGreaterThan(1_000);
  expect(refusals).toBeGreaterThan(1_000);
});
