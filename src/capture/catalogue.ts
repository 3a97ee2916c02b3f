import { isId } from "./parse-calls.js";
import type { RawNode } from "./raw-node.js";

const LISTS = /\/(?:GetUsableModels|AvailableModels|GetDefaultModelForCli|models)$/;
/** Names that programs give to models and their parameters. */
const SLUG = /^[A-Za-z0-9][\w.:-]{0,60}$/;
/** The fill of a replay has none of these. */
const REAL = /[aeiouy\d]/i;

/** Whether the call lists Cursor's models. Their names are Cursor's words, and runs are played again by them. */
export function isModelList(path: string): boolean {
  return LISTS.test(path);
}

/** Fields whose ids name a model or one of its parameters. */
const NAMES_MODEL = /^id$|(?:^|_)model_ids?$|[mM]odelIds?$/;

/** Whether the field is an id that is nobody's but the server's and the client's: not the name of a model. */
export function isPrivateId(node: RawNode & { bytes: Buffer }): boolean {
  return isId(node) && !NAMES_MODEL.test(node.name ?? "");
}

/** The names of models and parameters in a list of models that Cursor has sent. */
export function* slugsIn(node: RawNode): Generator<string> {
  if ("fields" in node) for (const field of node.fields) yield* slugsIn(field);
  if (node.kind !== "text" || isPrivateId(node)) return;
  const text = node.bytes.toString("utf8");
  if (SLUG.test(text) && REAL.test(text)) yield text;
}
