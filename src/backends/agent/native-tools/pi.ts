import type {
  PiBashArgs,
  PiEditArgs,
  PiFindArgs,
  PiGrepArgs,
  PiLsArgs,
  PiReadArgs,
  PiWriteArgs,
} from "../../../gen/agent_v1_pb.js";
import { editWishes, writeWishes } from "./change.js";
import type { Role } from "./equivalents.js";
import { listWishes } from "./list.js";
import { execResult, type NativeRequest } from "./native-request.js";
import { readWishes } from "./read.js";
import { globWishes, grepWishes } from "./search.js";
import { shellWishes } from "./shell.js";
import { positive, type Wish } from "./wish.js";

type PiCase =
  | "piReadResult"
  | "piBashResult"
  | "piEditResult"
  | "piWriteResult"
  | "piGrepResult"
  | "piFindResult"
  | "piLsResult";

/** The newer family of built-in tools: the same work as the older ones, but every result is one text. */
export const piRequests = {
  read: (args: PiReadArgs) => textRequest("piReadResult", "read", readWishes(args)),
  bash({ command, timeout }: PiBashArgs) {
    const timeoutMs = positive((timeout ?? 0) * 1_000);
    const asked = { command, workingDirectory: "", timeoutMs, patienceMs: timeoutMs, isBackground: false };
    return textRequest("piBashResult", "shell", shellWishes(asked));
  },
  edit: (args: PiEditArgs) => textRequest("piEditResult", "edit", editWishes(args)),
  write: ({ path, content }: PiWriteArgs) => textRequest("piWriteResult", "write", writeWishes(path, content)),
  grep({ pattern, path, glob, ignoreCase, literal, context, limit }: PiGrepArgs) {
    const extent = { outputMode: "content", hasLineNumbers: true, context: positive(context), limit: positive(limit) };
    const asked = { pattern, path, glob, isCaseInsensitive: ignoreCase, isLiteral: literal, extent };
    return textRequest("piGrepResult", "grep", grepWishes(asked));
  },
  find: ({ pattern, path, limit }: PiFindArgs) =>
    textRequest("piFindResult", "glob", globWishes(pattern, path, positive(limit))),
  ls: ({ path, limit }: PiLsArgs) =>
    textRequest("piLsResult", "list", listWishes({ path: path ?? ".", limit: positive(limit) })),
};

function textRequest(resultCase: PiCase, role: Role, wishes: readonly Wish[]): NativeRequest {
  return {
    role,
    wishes,
    toResults({ text, isError }) {
      const result = isError
        ? { case: "error" as const, value: { error: text } }
        : { case: "success" as const, value: { output: text } };
      return [execResult({ case: resultCase, value: { result } })];
    },
  };
}
