import { allFit, fits } from "../node.js";
import type { Keywords, ReadKeyword } from "../reader.js";
import { readList } from "./read-value.js";

const not: ReadKeyword = (value, reader) => {
  const node = reader.node(value);
  return (each, position, run) =>
    !run.try(() => fits(node, each, position, run)) || run.fail(position, "must NOT be valid");
};

const anyOf: ReadKeyword = (value, reader) => {
  const nodes = readList(value, "anyOf").map((each) => reader.node(each));
  return (each, position, run, seen) => {
    const before = run.faults.length;
    let isFitting = false;
    for (const node of nodes) {
      isFitting = fits(node, each, position, run, seen) || isFitting;
      // When evaluated parts are recorded, every schema that fits must be visited.
      if (isFitting && seen === undefined) break;
    }
    if (!isFitting) return run.fail(position, "must match a schema in anyOf");
    run.faults.length = before;
    return true;
  };
};

const oneOf: ReadKeyword = (value, reader) => {
  const nodes = readList(value, "oneOf").map((each) => reader.node(each));
  return (each, position, run, seen) => {
    const before = run.faults.length;
    const found = nodes.filter((node) => fits(node, each, position, run, seen)).length;
    if (found !== 1) return run.fail(position, "must match exactly one schema in oneOf");
    run.faults.length = before;
    return true;
  };
};

const allOf: ReadKeyword = (value, reader) => {
  const nodes = readList(value, "allOf").map((each) => reader.node(each));
  return (each, position, run, seen) => allFit(nodes, (node) => fits(node, each, position, run, seen));
};

const condition: ReadKeyword = (value, reader, siblings) => {
  const test = reader.node(value);
  const onTrue = siblings.then === undefined ? undefined : reader.node(siblings.then);
  const onFalse = siblings.else === undefined ? undefined : reader.node(siblings.else);
  return (each, position, run, seen) => {
    const isTrue = run.try(() => fits(test, each, position, run, seen));
    const chosen = isTrue ? onTrue : onFalse;
    if (chosen === undefined || fits(chosen, each, position, run, seen)) return true;
    return run.fail(position, `must match "${isTrue ? "then" : "else"}" schema`);
  };
};

export const combiningKeywords: Keywords = [
  ["not", not],
  ["anyOf", anyOf],
  ["oneOf", oneOf],
  ["allOf", allOf],
  ["if", condition],
];
