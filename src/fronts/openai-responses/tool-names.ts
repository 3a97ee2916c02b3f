import { createHash } from "node:crypto";
import { trimEndOf } from "../../turn/trim-end-of.js";

/** A tool as the client knows it. */
export interface ClientTool {
  readonly name: string;
  readonly namespace: string | undefined;
  /** Its calls are written as free text. */
  readonly isCustom: boolean;
}

interface ToolPath {
  readonly name: string;
  readonly namespace?: string | null | undefined;
}

/** The tool names that upstreams accept. */
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
    return this.#byUpstreamName.get(name) ?? { name, namespace: undefined, isCustom: false };
  }

  #newName(plain: string): string {
    let name = plain;
    let count = this.#nextNumber.get(plain) ?? 2;
    for (; this.#byUpstreamName.has(name); count++) name = `${plain}_${count}`;
    this.#nextNumber.set(plain, count);
    return name;
  }
}

function toPath({ name, namespace }: ToolPath): string {
  return JSON.stringify([namespace ?? "", name]);
}

function toPlainName({ name, namespace }: ToolPath): string {
  if (!namespace) return name;
  const joined = `${trimEndOf(namespace, "_")}__${name}`.replace(/[^\w-]/g, "_");
  if (joined.length <= MAX_LENGTH) return joined;
  const mark = createHash("sha256").update(joined).digest("hex").slice(0, 8);
  return `${joined.slice(0, MAX_LENGTH - 9)}_${mark}`;
}
