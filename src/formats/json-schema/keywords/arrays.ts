import { toComparable } from "../is-equal.js";
import { type Check, fits, type SchemaNode } from "../node.js";
import type { Reader, ReadKeyword } from "../reader.js";
import { readCount, readList } from "./read-value.js";

function countLimit(keyword: string, word: string, holds: (length: number, limit: number) => boolean): ReadKeyword {
  return (value) => {
    const most = readCount(value, keyword);
    const message = `must NOT have ${word} than ${most} items`;
    return (each, place, run) => !Array.isArray(each) || holds(each.length, most) || run.fail(place, message);
  };
}

/** Equal values become equal texts, and a set of texts is made in one go. */
const uniqueItems: ReadKeyword = (value) => {
  if (value !== true) return undefined;
  return (each, place, run) => {
    if (!Array.isArray(each)) return true;
    const texts = new Set<string>();
    for (const item of each) texts.add(toComparable(item, run.steps));
    return texts.size === each.length || run.fail(place, "must NOT have duplicate items");
  };
};

const contains: ReadKeyword = (value, reader, { minContains, maxContains }) => {
  const node = reader.node(value);
  const isNew = reader.draft === "2020-12";
  const least = isNew && minContains !== undefined ? readCount(minContains, "minContains") : 1;
  const most = isNew && maxContains !== undefined ? readCount(maxContains, "maxContains") : Number.POSITIVE_INFINITY;
  return (each, place, run, seen) => {
    if (!Array.isArray(each)) return true;
    let found = 0;
    for (const [index, item] of each.entries()) {
      if (!run.try(() => fits(node, item, { above: place, key: index }, run))) continue;
      found++;
      seen?.addItem(index);
    }
    const isRight = found >= least && found <= most;
    const limit = most === Number.POSITIVE_INFINITY ? "" : ` and no more than ${most}`;
    return isRight || run.fail(place, `must contain at least ${least}${limit} valid item(s)`);
  };
};

function eachFrom(start: number, node: SchemaNode): Check {
  return (each, place, run, seen) => {
    if (!Array.isArray(each)) return true;
    let isFitting = true;
    for (let index = start; index < each.length; index++) {
      if (!fits(node, each[index], { above: place, key: index }, run)) isFitting = false;
    }
    seen?.addItemsBefore(each.length);
    return isFitting;
  };
}

function inOrder(schemas: readonly unknown[], reader: Reader): Check {
  const nodes = schemas.map((schema) => reader.node(schema));
  return (each, place, run, seen) => {
    if (!Array.isArray(each)) return true;
    let isFitting = true;
    for (const [index, node] of nodes.slice(0, each.length).entries()) {
      if (!fits(node, each[index], { above: place, key: index }, run)) isFitting = false;
    }
    seen?.addItemsBefore(Math.min(nodes.length, each.length));
    return isFitting;
  };
}

const prefixItems: ReadKeyword = (value, reader) => inOrder(readList(value, "prefixItems"), reader);

const items: ReadKeyword = (value, reader, { prefixItems: prefix }) =>
  eachFrom(Array.isArray(prefix) ? prefix.length : 0, reader.node(value));

const oldItems: ReadKeyword = (value, reader) =>
  Array.isArray(value) ? inOrder(value, reader) : eachFrom(0, reader.node(value));

const additionalItems: ReadKeyword = (value, reader, siblings) =>
  Array.isArray(siblings.items) ? eachFrom(siblings.items.length, reader.node(value)) : undefined;

const unevaluatedItems: ReadKeyword = (value, reader) => {
  const node = reader.node(value);
  return (each, place, run, seen) => {
    if (!Array.isArray(each)) return true;
    let isFitting = true;
    for (const [index, item] of each.entries()) {
      if (seen?.hasItem(index)) continue;
      if (!fits(node, item, { above: place, key: index }, run)) isFitting = false;
    }
    if (value !== false) seen?.addItemsBefore(each.length);
    return isFitting || run.fail(place, "must NOT have unevaluated items");
  };
};

const common: readonly (readonly [string, ReadKeyword])[] = [
  ["maxItems", countLimit("maxItems", "more", (length, most) => length <= most)],
  ["minItems", countLimit("minItems", "fewer", (length, least) => length >= least)],
  ["uniqueItems", uniqueItems],
  ["contains", contains],
];

export const arrayKeywords = [...common, ["prefixItems", prefixItems], ["items", items]] as const;
export const oldArrayKeywords = [...common, ["items", oldItems], ["additionalItems", additionalItems]] as const;
export const unevaluatedItemKeywords = [["unevaluatedItems", unevaluatedItems]] as const;
