import { create } from "@bufbuild/protobuf";
import {
  type LsArgs,
  type LsDirectoryTreeNode,
  LsDirectoryTreeNode_FileSchema,
  LsDirectoryTreeNodeSchema,
} from "@curlew/wire/gen/agent_v1_pb.js";
import { isNeutralFolder, type NativeRequest, type WantedInput, withOutcome } from "./native-request.js";

interface ListAsked {
  readonly path: string;
  readonly ignore?: readonly string[] | undefined;
  readonly limit?: number | undefined;
}

export function listInputs({ path, ignore, limit }: ListAsked): readonly WantedInput[] {
  return [
    {
      must: { path: isNeutralFolder(path) ? "." : path },
      may: { ignore: ignore === undefined || ignore.length === 0 ? undefined : ignore, limit },
      ifRequired: { isRecursive: false, depth: 1, operation: { oneOf: ["list", "ls", "view"] } },
      purpose: `List ${path}`,
    },
  ];
}

export function listRequest({ path, ignore }: LsArgs): NativeRequest {
  return {
    role: "list",
    inputs: listInputs({ path, ignore }),
    carriesWords: false, // a folder has only names
    toResults({ text, isError }) {
      if (isError) return [withOutcome("lsResult", { case: "error", value: { path, error: text } })];
      return [withOutcome("lsResult", { case: "success", value: { directoryTreeRoot: toDirectoryTree(path, text) } })];
    },
  };
}

interface Entry {
  readonly indent: number;
  readonly name: string;
  readonly isFolder: boolean;
}

/** Lines around a listing that only repeat what the typed answer says. */
const wrapping: readonly RegExp[] = [
  /^-{3,}$/,
  /^<\/?entries>$|^<type>directory<\/type>$|^<path>.*<\/path>$/,
  /^\(?\d+ entries\)?$|^listed \d+ item(?:s|\(s\))?\.?$/i,
  /^directory listing for .*:$/i,
  /^\(?empty directory\)?\.?$|^(?:directory )?\S+ is empty\.?$/i,
];
const FOLDER_HEADING = /^#+ (?:folders|directories):?$/i;
const FILE_HEADING = /^#+ files:?$/i;

/** A folder tree from the lines of a listing. Without a slash, mark or heading of a folder, a line becomes a file name: still readable. */
export function toDirectoryTree(path: string, text: string): LsDirectoryTreeNode {
  const root = create(LsDirectoryTreeNodeSchema, { absPath: path, childrenWereProcessed: true });
  const open = [{ indent: -1, node: root }];
  const entries = readEntries(text);
  for (const [index, { indent, name, isFolder }] of entries.entries()) {
    const isTop = index === 0 && isFolder && isAbsolute(name) && (entries[1]?.indent ?? 0) > indent;
    // A tree may begin with the requested folder itself.
    if (isTop || (index === 0 && isFolder && name === path.replace(/(?<=.)\/$/, ""))) {
      root.absPath = name;
      continue;
    }
    while (open.length > 1 && (open.at(-1)?.indent ?? -1) >= indent) open.pop();
    const parent = open.at(-1)?.node ?? root;
    parent.childrenWereProcessed = true;
    if (isFolder) {
      const base = parent.absPath.replace(/\/$/, "");
      const isWhole = isAbsolute(name) || name.startsWith(`${base}/`);
      const node = create(LsDirectoryTreeNodeSchema, { absPath: isWhole ? name : `${base}/${name}` });
      parent.childrenDirs.push(node);
      open.push({ indent, node });
    } else {
      parent.childrenFiles.push(create(LsDirectoryTreeNode_FileSchema, { name }));
      for (const { node } of open) node.numFiles += 1;
    }
  }
  return root;
}

function readEntries(text: string): readonly Entry[] {
  const entries: Entry[] = [];
  let isFolderSection = false;
  for (const line of text.split("\n")) {
    const trimmed = line.trim();
    if (FOLDER_HEADING.test(trimmed)) isFolderSection = true;
    else if (FILE_HEADING.test(trimmed)) isFolderSection = false;
    else if (trimmed !== "" && !wrapping.some((form) => form.test(trimmed))) {
      entries.push(readEntry(line, isFolderSection));
    }
  }
  return entries;
}

function readEntry(line: string, isFolderSection: boolean): Entry {
  const drawn = /^[\s│├└─┬|`+]*(?:[-*•]\s+)?/.exec(line)?.[0] ?? "";
  const rest = line.slice(drawn.length).trim();
  const [, mark, marked] = /^\[(d|dir|directory|folder|f|file)\]\s(.+)$/i.exec(rest) ?? [];
  const name = marked?.trimStart() ?? rest;
  const isMarkedFolder = mark !== undefined && !/^f(?:ile)?$/i.test(mark);
  const isFolder = isFolderSection || isMarkedFolder || /[^\s/\\][/\\]$/.test(name);
  return { indent: drawn.length, name: isFolder ? name.replace(/(?<=.)[/\\]$/, "") : name, isFolder };
}

function isAbsolute(path: string): boolean {
  return /^(?:[/~]|[a-z]:[/\\])/i.test(path);
}
