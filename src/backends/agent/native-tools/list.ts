import type { LsArgs } from "../../../gen/agent_v1_pb.js";
import { toDirectoryTree } from "./directory-tree.js";
import { answerWith, type NativeRequest } from "./native-request.js";
import type { Wish } from "./wish.js";
import { isNeutralFolder } from "./workspace.js";

interface ListAsked {
  readonly path: string;
  readonly ignore?: readonly string[] | undefined;
  readonly limit?: number | undefined;
}

export function listWishes({ path, ignore, limit }: ListAsked): readonly Wish[] {
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
    wishes: listWishes({ path, ignore }),
    toResults({ text, isError }) {
      if (isError) return answerWith("lsResult", { case: "error", value: { path, error: text } });
      return answerWith("lsResult", { case: "success", value: { directoryTreeRoot: toDirectoryTree(path, text) } });
    },
  };
}
