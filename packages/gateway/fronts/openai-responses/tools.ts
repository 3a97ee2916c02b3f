import { createHash } from "node:crypto";
import { trimEndOf } from "../../turn/fits-wildcard.js";
import { MAX_MCP_SERVERS } from "../../turn/request-limits.js";
import type { NamedMcpServer, ToolDefinition, Turn } from "../../turn/turn.js";
import { readCustomInput, toFunctionTool, writeCustomInput } from "../parts/custom-tool.js";
import { invalidField } from "../parts/query.js";
import { warnOfLeftOut } from "../parts/request-problem.js";
import { isWebTool } from "../parts/request-schema.js";
import { asReturned, type PublishedType, toPublishedTool } from "./published-tools.js";
import type { CallableTool, NamespaceTool, PublishedTool, RequestedToolChoice, Tool } from "./schema.js";

export function toTools(offered: readonly Tool[], requested: RequestedToolChoice) {
  const names = new ToolNames();
  const leftOut = new Set<string>();
  const mcpServers: NamedMcpServer[] = [];
  let webTool: string | undefined;
  // Collected by name: a tool that is offered twice, as in a conversation that repeats its tools, is still one tool.
  const all = new Map<string, ToolDefinition>();
  for (const tool of offered) {
    const namespace = tool.type === "namespace" ? tool : undefined;
    for (const each of tool.type === "namespace" ? tool.tools : [tool]) {
      if (each.type === "mcp") {
        if (mcpServers.push(each.server) > MAX_MCP_SERVERS) throw invalidField("tools", "name too many MCP servers");
      } else if (each.type === "left-out") {
        if (isWebTool(each.name)) webTool = each.name;
        else leftOut.add(each.name);
      } else {
        const definition = toDefinition(each, namespace, names);
        all.set(definition.name, definition);
      }
    }
  }
  if (requested.type === "left-out" && names.published(requested.name) === undefined) {
    leftOut.add(`${requested.name} in tool_choice`);
  }
  return {
    asReturned: (name: string, input: string) => names.asReturned(name, input),
    ...choose(requested, [...all.values()], names),
    names,
    webTool,
    mcpServers,
    warnings: warnOfLeftOut("Tools that OpenAI hosts are not available here; left out", leftOut),
  };
}

function toDefinition(
  tool: CallableTool | PublishedTool,
  namespace: NamespaceTool | undefined,
  names: ToolNames,
): ToolDefinition {
  if (tool.type === "published") {
    const { published } = tool;
    return toPublishedTool(published, names.add({ ...plain, name: published, published }), tool.about);
  }
  const name = names.add({ name: tool.name, namespace: namespace?.name, isCustom: tool.type === "custom" });
  const description = describe(tool, namespace);
  if (tool.type === "custom") {
    return toFunctionTool({ name, description, grammar: tool.format?.type === "grammar" ? tool.format : undefined });
  }
  const known = definitionOf.get(tool);
  if (known?.name === name && known.description === description) return known;
  const definition = { name, description, inputSchema: tool.parameters ?? { type: "object", properties: {} } };
  definitionOf.set(tool, definition);
  return definition;
}

/** The last definition of each tool: for a tool that a client repeats it is the same object as before. */
const definitionOf = new WeakMap<CallableTool, ToolDefinition>();

/** The description of a namespace is added once, to the first of its tools. */
function describe(tool: CallableTool, namespace: NamespaceTool | undefined): string {
  const own = tool.description ?? "";
  if (!namespace?.description || namespace.tools[0] !== tool) return own;
  return `${own}\n\nAbout all tools of ${namespace.name}: ${namespace.description}`.trim();
}

type Choice = Pick<Turn, "tools" | "toolChoice">;

function choose(requested: RequestedToolChoice, all: readonly ToolDefinition[], names: ToolNames): Choice {
  switch (requested.type) {
    case "tool":
      return { tools: all, toolChoice: { type: "tool", name: names.toUpstream(requested) } };
    case "allowed_tools": {
      const allowed = new Set(
        requested.tools.flatMap((each) =>
          each.type === "tool" ? [names.toUpstream(each)] : (names.published(each.name) ?? []),
        ),
      );
      return { tools: all.filter(({ name }) => allowed.has(name)), toolChoice: { type: requested.mode } };
    }
    case "left-out": {
      const name = names.published(requested.name);
      return { tools: all, toolChoice: name === undefined ? { type: "auto" } : { type: "tool", name } };
    }
    case "auto":
    case "none":
    case "required":
      return { tools: all, toolChoice: { type: requested.type } };
  }
}

export interface ClientTool {
  readonly name: string;
  readonly namespace: string | undefined;
  /** Its calls are written as free text. */
  readonly isCustom: boolean;
  /** Its calls have a shape of OpenAI's. */
  readonly published?: PublishedType;
}

const plain = { namespace: undefined, isCustom: false } as const;

interface ToolPath {
  readonly name: string;
  readonly namespace?: string | null | undefined;
  readonly published?: PublishedType | undefined;
}

/** The longest tool name that upstreams accept. */
const MAX_LENGTH = 64;

/** Tools may be in a namespace, which Cursor does not know: upstream, each tool has one unique name. */
export class ToolNames {
  readonly #byUpstreamName = new Map<string, ClientTool>();
  readonly #byPath = new Map<string, string>();
  /** The number for the next tool of the same plain name. */
  readonly #nextNumber = new Map<string, number>();

  /** Gives the tool its name upstream. A tool that is offered again keeps its name. */
  add(tool: ClientTool): string {
    const path = toPath(tool);
    const name = this.#byPath.get(path) ?? this.#newName(toPlainName(tool));
    this.#byUpstreamName.set(name, tool);
    this.#byPath.set(path, name);
    return name;
  }

  /** This also finds names for calls of tools that are no longer offered. */
  toUpstream(tool: ToolPath): string {
    return this.#byPath.get(toPath(tool)) ?? toPlainName(tool);
  }

  toClient(name: string): ClientTool {
    return this.#byUpstreamName.get(name) ?? { ...plain, name };
  }

  /** The upstream name of a tool that is offered by its type alone, by the type in a tool choice. */
  published(type: string): string | undefined {
    const wanted = type === "computer_use" ? "computer" : type;
    for (const [name, { published }] of this.#byUpstreamName) if (published === wanted) return name;
    return undefined;
  }

  /** The arguments of a call as they can be read from the item that the client sends back. */
  asReturned(name: string, input: string): string {
    const { isCustom, published } = this.toClient(name);
    if (isCustom) return writeCustomInput(readCustomInput(input));
    return published === undefined ? input : asReturned(published, input);
  }

  #newName(plain: string): string {
    let name = plain;
    let count = this.#nextNumber.get(plain) ?? 2;
    for (; this.#byUpstreamName.has(name); count++) name = `${plain}_${count}`;
    this.#nextNumber.set(plain, count);
    return name;
  }
}

function toPath({ name, namespace, published }: ToolPath): string {
  return JSON.stringify([namespace ?? "", name, published]);
}

function toPlainName({ name, namespace }: ToolPath): string {
  if (!namespace) return name;
  const joined = `${trimEndOf(namespace, "_")}__${name}`.replace(/[^\w-]/g, "_");
  if (joined.length <= MAX_LENGTH) return joined;
  const mark = createHash("sha256").update(joined).digest("hex").slice(0, 8);
  return `${joined.slice(0, MAX_LENGTH - 9)}_${mark}`;
}
