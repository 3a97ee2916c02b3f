import type { LsDirectoryTreeNode } from "@curlew/wire/gen/agent_v1_pb.js";
import { expect, it } from "vitest";
import { toDirectoryTree } from "./list.js";

type Tree = [path: string, ...children: (string | Tree)[]];

function plain({ absPath, childrenDirs, childrenFiles }: LsDirectoryTreeNode): Tree {
  return [absPath, ...childrenDirs.map(plain), ...childrenFiles.map(({ name }) => name)];
}

const home = ["/home/u/p", ["/home/u/p/src", ["/home/u/p/src/lib", "x.ts"], "y.ts"], "z.ts"] satisfies Tree;
const marked = "Listed 2 item(s).\n---\nDirectory listing for /r:\n[DIR] src\n[FILE] a.ts";
const tagged = "<path>/r</path>\n<type>directory</type>\n<entries>\nsrc/\na.ts\n\n(2 entries)\n</entries>";

it.each<[name: string, path: string, text: string, tree: Tree]>([
  ["names", "/r", "src/\na.ts\nnode_modules/\n", ["/r", ["/r/src"], ["/r/node_modules"], "a.ts"]],
  ["marks", "/r/", marked, ["/r/", ["/r/src"], "a.ts"]],
  ["headings", "proj", "# Folders:\nproj/src\n\n# Files:\nproj/a.ts\n", ["proj", ["proj/src"], "proj/a.ts"]],
  ["an indented tree", ".", "/home/u/p/\n  src/\n    lib/\n      x.ts\n    y.ts\n  z.ts", home],
  ["a tree of bullets", "/r", "- /r/\n  - src/\n    - x.ts\n  - z.ts", ["/r", ["/r/src", "x.ts"], "z.ts"]],
  ["a drawn tree", "/r", "├── src/\n│   └── x.ts\n└── z.ts", ["/r", ["/r/src", "x.ts"], "z.ts"]],
  ["tags around the entries", "/r", tagged, ["/r", ["/r/src"], "a.ts"]],
  ["absolute paths", "/r", "/r/src/\n/r/a.ts", ["/r", ["/r/src"], "/r/a.ts"]],
  ["nothing", "/r", "/r is empty.\n", ["/r"]],
  ["a remark", "/r", "a.ts\n(Showing 1 of 9 entries)", ["/r", "a.ts", "(Showing 1 of 9 entries)"]],
])("a listing with %s becomes a tree", (_, path, text, tree) => {
  expect(plain(toDirectoryTree(path, text))).toEqual(tree);
});

it("counts the files of each folder, and marks the folders that were listed", () => {
  const root = toDirectoryTree("/r", "src/\n  a.ts\n  b.ts\nlib/\nc.ts");
  expect(root).toMatchObject({ numFiles: 3, childrenWereProcessed: true });
  expect(root.childrenDirs).toMatchObject([
    { absPath: "/r/src", numFiles: 2, childrenWereProcessed: true },
    { absPath: "/r/lib", numFiles: 0, childrenWereProcessed: false },
  ]);
});
