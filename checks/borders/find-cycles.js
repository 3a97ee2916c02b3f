/**
 * Finds imports that lead back to where they began, types included. In every folder, each sub-folder counts as a whole: two
 * folders that import each other are a cycle even when no file in them is.
 *
 * @param {import("./find-imports.js").SourceFile[]} files
 * @returns {{ members: string[], loop: string[] }[]} the members of a cycle, sorted, and one way round with file and line
 */
export function findCycles(files) {
  const levels = new Map();
  for (const { file, imports } of files) {
    for (const { to, line } of imports) {
      const [level, from, target] = splitAtFork(file.split("/"), to.split("/"));
      const graph = levels.get(level) ?? new Map();
      levels.set(level, graph);
      const edges = graph.get(from) ?? new Map();
      graph.set(from, edges);
      if (!edges.has(target)) edges.set(target, `${file}:${line}`);
    }
  }
  return [...levels.values()].flatMap(cyclesOf);
}

/** The deepest folder that contains both files, and the two entries in it that contain one each. */
function splitAtFork(one, other) {
  const fork = one.findIndex((part, index) => part !== other[index]);
  return [one.slice(0, fork), one.slice(0, fork + 1), other.slice(0, fork + 1)].map((parts) => parts.join("/"));
}

function cyclesOf(graph) {
  const cycles = [];
  const done = new Set();
  for (const start of [...graph.keys()].toSorted()) {
    if (done.has(start)) continue;
    const there = reach(graph, start);
    const members = [...there.keys()].filter((each) => reach(graph, each).has(start)).toSorted();
    if (!there.has(start)) continue;
    for (const each of members) done.add(each);
    cycles.push({ members, loop: wayRound(graph, start, there) });
  }
  return cycles;
}

/** Everything that imports reach from here, each with the node that it was first reached from. */
function reach(graph, start) {
  const cameFrom = new Map();
  const queue = [start];
  for (const node of queue) {
    for (const next of graph.get(node)?.keys() ?? []) {
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, node);
      queue.push(next);
    }
  }
  return cameFrom;
}

function wayRound(graph, start, cameFrom) {
  const way = [start];
  for (let node = cameFrom.get(start); node !== start; node = cameFrom.get(node)) way.unshift(node);
  return way.map((node, index) => {
    const location = graph.get(way.at(index - 1)).get(node);
    return `${location} imports ${node}`;
  });
}
