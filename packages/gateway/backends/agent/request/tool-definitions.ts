import { hash } from "node:crypto";
import { create, fromJson, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import {
  type McpArgs,
  type McpToolDefinition,
  McpToolDefinitionSchema,
  McpToolsSchema,
} from "@curlew/wire/gen/agent_v1_pb.js";
import { perToolList } from "../../../turn/per-tool-list.js";
import type { ToolDefinition } from "../../../turn/turn.js";
import type { Combinator } from "../../profile/index.js";
import { projectSchema } from "./project-schema.js";

/** The made-up server's name, short: some of Cursor's clients drop tools with long full names (docs/protocol/wire.md, tools). */
export const PROVIDER = "app";

/** The longest full name (server and tool) that all of Cursor's clients accept. */
export const MAX_FULL_NAME = 60;

/** The client's tools as the server takes them: as MCP tools of one made-up server. */
export function encodeTools(tools: readonly ToolDefinition[]): McpToolDefinition[] {
  return tools.map(({ name, description, inputSchema }) =>
    create(McpToolDefinitionSchema, {
      name: `${PROVIDER}-${name}`,
      description,
      // A `google.protobuf.Value` that holds a struct: the server refuses a bare struct (docs/protocol/wire.md, tools).
      inputSchema: fromJson(ValueSchema, inputSchema as JsonObject),
      providerIdentifier: PROVIDER,
      toolName: name,
    }),
  );
}

export const writeTools: (tools: readonly ToolDefinition[]) => Uint8Array = perToolList((tools) =>
  toBinary(McpToolsSchema, create(McpToolsSchema, { mcpTools: encodeTools(tools) })),
);

/** Finds the offered tool that a call means. Models and servers differ in which field they put its name into. */
export function calledTool(args: McpArgs, tools: readonly ToolDefinition[]): string | undefined {
  const spellings = [args.toolName, args.name, withoutProvider(args.name), withoutProvider(args.toolName)];
  return spellings.find((spelling) => tools.some(({ name }) => name === spelling));
}

function withoutProvider(name: string): string {
  return name.startsWith(`${PROVIDER}-`) ? name.slice(PROVIDER.length + 1) : name;
}

type Tools = readonly ToolDefinition[];

/** A dash joins the names of the server and the tool. */
const MAX_NAME = MAX_FULL_NAME - PROVIDER.length - 1;
const HASH_CHARACTERS = 8;

/** The tools of a client as Cursor gets them. A list that needs no change stays the same object. */
export interface WireTools {
  /** All tools, with names that are short enough and schemas that the model's provider accepts. */
  readonly tools: Tools;
  /** The tools whose schemas had to change, by the client's names, with their own schemas. */
  readonly projected: ReadonlyMap<string, ToolDefinition>;
  wireName(name: string): string;
  clientName(name: string): string;
  /** A part of the client's tools with the names on the wire, and with the client's own schemas. */
  renamed(tools: Tools): Tools;
}

/** The tools for a model whose provider refuses these keywords, cached, because clients resend the same list. */
export function wireTools(tools: Tools, refused: readonly Combinator[] = []): WireTools {
  const known = wiredLists(tools);
  const key = refused.join();
  const wired = known.get(key) ?? toWire(tools, refused);
  known.set(key, wired);
  return wired;
}

/** Keyed by the refused keywords, of which the profile has few lists. */
const wiredLists = perToolList(() => new Map<string, WireTools>());

function toWire(tools: Tools, refused: readonly Combinator[]): WireTools {
  const { wire, client } = namesOf(tools);
  const wireName = (name: string) => wire.get(name) ?? shortened(name, 0);
  const rename = (tool: ToolDefinition) => {
    const name = wireName(tool.name);
    if (name === tool.name) return tool;
    // The client's prompt and its tool choice use the client's name of a tool, so the model has to know it.
    return { ...tool, name, description: `Also called ${tool.name}. ${tool.description}`.trimEnd() };
  };
  const renamed = (some: Tools) => (wire.size === 0 ? some : some.map(rename));
  const projected = new Map<string, ToolDefinition>();
  const taken = tools.map((tool) => {
    const inputSchema = refused.length === 0 ? tool.inputSchema : projectSchema(tool.inputSchema, refused);
    if (inputSchema === tool.inputSchema) return tool;
    projected.set(tool.name, tool);
    return { ...tool, inputSchema };
  });
  return {
    tools: renamed(projected.size === 0 ? tools : taken),
    projected,
    wireName,
    clientName: (name) => client.get(name) ?? name,
    renamed,
  };
}

/** The names that differ, in both directions. No two tools have the same name on the wire. */
function namesOf(tools: Tools) {
  const wire = new Map<string, string>();
  const client = new Map<string, string>();
  const used = new Set(tools.map(({ name }) => name));
  for (const { name } of tools) {
    if (name.length <= MAX_NAME || wire.has(name)) continue;
    let short = shortened(name, 0);
    for (let attempt = 1; used.has(short); attempt++) short = shortened(name, attempt);
    used.add(short);
    wire.set(name, short);
    client.set(short, name);
  }
  return { wire, client };
}

/** A name that fits: the start of the long one, which the model understands, and a hash that tells it from others. */
function shortened(name: string, attempt: number): string {
  if (name.length <= MAX_NAME) return name;
  const mark = hash("sha256", `${attempt} ${name}`, "hex").slice(0, HASH_CHARACTERS);
  const start = name.slice(0, MAX_NAME - HASH_CHARACTERS - 1).replace(/[\ud800-\udbff]$/, ""); // not half a character
  return `${start}_${mark}`;
}
