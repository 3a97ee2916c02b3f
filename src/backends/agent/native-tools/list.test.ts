import { describe, expect, it } from "vitest";
import type { LsDirectoryTreeNode } from "../../../gen/agent_v1_pb.js";
import { toDirectoryTree } from "./list.js";

type Tree = [path: string, ...children: (string | Tree)[]];

function plain({ absPath, childrenDirs, childrenFiles }: LsDirectoryTreeNode): Tree {
  return [absPath, ...childrenDirs.map(plain), ...childrenFiles.map(({ name }) => name)];
}

const listings: { name: string; path: string; text: string; tree: Tree }[] = [
  {
    name: "names one below the other",
    path: "/r",
    text: "src/\na.ts\nnode_modules/\n",
    tree: ["/r", ["/r/src"], ["/r/node_modules"], "a.ts"],
  },
  {
    name: "marks",
    path: "/r/",
    text: "Listed 2 item(s).\n---\nDirectory listing for /r:\n[DIR] src\n[FILE] a.ts",
    tree: ["/r/", ["/r/src"], "a.ts"],
  },
  {
    name: "headings, with paths that begin at the folder",
    path: "proj",
    text: "# Folders:\nproj/src\n\n# Files:\nproj/a.ts\n",
    tree: ["proj", ["proj/src"], "proj/a.ts"],
  },
  {
    name: "an indented tree below the folder itself",
    path: ".",
    text: "/home/u/p/\n  src/\n    lib/\n      x.ts\n    y.ts\n  z.ts",
    tree: ["/home/u/p", ["/home/u/p/src", ["/home/u/p/src/lib", "x.ts"], "y.ts"], "z.ts"],
  },
  {
    name: "a tree of bullets",
    path: "/r",
    text: "- /r/\n  - src/\n    - x.ts\n  - z.ts",
    tree: ["/r", ["/r/src", "x.ts"], "z.ts"],
  },
  {
    name: "a drawn tree",
    path: "/r",
    text: "├── src/\n│   └── x.ts\n└── z.ts",
    tree: ["/r", ["/r/src", "x.ts"], "z.ts"],
  },
  {
    name: "tags around the entries",
    path: "/r",
    text: "<path>/r</path>\n<type>directory</type>\n<entries>\nsrc/\na.ts\n\n(2 entries)\n</entries>",
    tree: ["/r", ["/r/src"], "a.ts"],
  },
  { name: "absolute paths", path: "/r", text: "/r/src/\n/r/a.ts", tree: ["/r", ["/r/src"], "/r/a.ts"] },
  { name: "nothing", path: "/r", text: "/r is empty.\n", tree: ["/r"] },
  {
    name: "a remark",
    path: "/r",
    text: "a.ts\n(Showing 1 of 9 entries)",
    tree: ["/r", "a.ts", "(Showing 1 of 9 entries)"],
  },
];

describe.each(listings)("a listing with $name", ({ path, text, tree }) => {
  it("becomes a tree", () => expect(plain(toDirectoryTree(path, text))).toEqual(tree));
});

it("counts the files of each folder, and tells which folders were looked into", () => {
  const root = toDirectoryTree("/r", "src/\n  a.ts\n  b.ts\nlib/\nc.ts");
  expect(root).toMatchObject({ numFiles: 3, childrenWereProcessed: true });
  expect(root.childrenDirs).toMatchObject([
    { absPath: "/r/src", numFiles: 2, childrenWereProcessed: true },
    { absPath: "/r/lib", numFiles: 0, childrenWereProcessed: false },
  ]);
});
