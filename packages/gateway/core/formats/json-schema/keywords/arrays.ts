import { allFit, type Check, fits, type SchemaNode, type Seen, toComparable } from "../node.js";
import type { Keywords, Reader, ReadKeyword } from "../reader.js";
import { countLimits, readCount, readList } from "./read-value.js";

/** Equal values become equal texts, so that a set finds duplicates in one pass. */
const uniqueItems: ReadKeyword = (value) => {
  if (value !== true) return undefined;
  return (each, position, run) => {
    if (!Array.isArray(each)) return true;
    const texts = new Set<string>();
    for (const item of each) texts.add(toComparable(item, run.steps));
    return texts.size === each.length || run.fail(position, "must NOT have duplicate items");
  };
};

const contains: ReadKeyword = (value, reader, { minContains, maxContains }) => {
  const node = reader.node(value);
  const isNew = reader.draft === "2020-12";
  const least = isNew && minContains !== undefined ? readCount(minContains, "minContains") : 1;
  const most = isNew && maxContains !== undefined ? readCount(maxContains, "maxContains") : Number.POSITIVE_INFINITY;
  return (each, position, run, seen) => {
    if (!Array.isArray(each)) return true;
    let found = 0;
    for (const [index, item] of each.entries()) {
      if (!run.try(() => fits(node, item, { above: position, key: index }, run))) continue;
      found++;
      seen?.items.add(index);
    }
    const isRight = found >= least && found <= most;
    const limit = most === Number.POSITIVE_INFINITY ? "" : ` and no more than ${most}`;
    return isRight || run.fail(position, `must contain at least ${least}${limit} valid item(s)`);
  };
};

/** `nodeAt` returns the schema that an item has to fit, if any. */
function checkItems(
  nodeAt: (index: number, seen: Seen | undefined) => SchemaNode | undefined,
  markSeen: (seen: Seen, length: number) => void,
): Check {
  return (value, position, run, seen) => {
    if (!Array.isArray(value)) return true;
    const isFitting = allFit(value.entries(), ([index, item]) => {
      const node = nodeAt(index, seen);
      return node === undefined || fits(node, item, { above: position, key: index }, run);
    });
    if (seen !== undefined) markSeen(seen, value.length);
    return isFitting;
  };
}

function eachFrom(start: number, node: SchemaNode): Check {
  return checkItems(
    (index) => (index < start ? undefined : node),
    (seen, length) => seen.addItemsBefore(length),
  );
}

function inOrder(schemas: readonly unknown[], reader: Reader): Check {
  const nodes = schemas.map((schema) => reader.node(schema));
  return checkItems(
    (index) => nodes[index],
    (seen, length) => seen.addItemsBefore(Math.min(nodes.length, length)),
  );
}

const prefixItems: ReadKeyword = (value, reader) => inOrder(readList(value, "prefixItems"), reader);

const items: ReadKeyword = (value, reader, { prefixItems: prefix }) =>
  eachFrom(Array.isArray(prefix) ? prefix.length : 0, reader.node(value));

const oldItems: ReadKeyword = (value, reader) =>
  Array.isArray(value) ? inOrder(value, reader) : eachFrom(0, reader.node(value));

const additionalItems: ReadKeyword = (value, reader, siblings) =>
  Array.isArray(siblings.items) ? eachFrom(siblings.items.length, reader.node(value)) : undefined;

export const unevaluatedItems: ReadKeyword = (value, reader) => {
  const node = reader.node(value);
  const check = checkItems(
    (index, seen) => (seen?.hasItem(index) ? undefined : node),
    (seen, length) => {
      if (value !== false) seen.addItemsBefore(length);
    },
  );
  return (each, position, run, seen) =>
    check(each, position, run, seen) || run.fail(position, "must NOT have unevaluated items");
};

const common: Keywords = [
  ...countLimits("Items", "items", (value) => (Array.isArray(value) ? value.length : undefined)),
  ["uniqueItems", uniqueItems],
  ["contains", contains],
];

export const arrayKeywords: Keywords = [...common, ["prefixItems", prefixItems], ["items", items]];
export const oldArrayKeywords: Keywords = [...common, ["items", oldItems], ["additionalItems", additionalItems]];
