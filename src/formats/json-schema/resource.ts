import { isObject, type SchemaNode } from "./node.js";

/** A schema with an address of its own, and what is named inside it. */
export interface Resource {
  readonly address: string;
  readonly root: unknown;
  readonly anchors: Map<string, object>;
  readonly dynamicAnchors: Map<string, SchemaNode>;
}

export function createResource(address: string, root: unknown): Resource {
  return { address, root, anchors: new Map(), dynamicAnchors: new Map() };
}

/** What a JSON pointer leads to; undefined when there is nothing. */
export function followPointer(root: unknown, pointer: string): unknown {
  let here = root;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(here)) here = here[Number(key)];
    else here = isObject(here) && Object.hasOwn(here, key) ? here[key] : undefined;
  }
  return here;
}
