import { editWishes, writeWishes } from "./change.js";
import type { Role } from "./equivalents.js";
import { listWishes } from "./list.js";
import {
  answerWith,
  type NativeRequest,
  type NativeRequests,
  positive,
  type ResultTaking,
  type Wish,
} from "./native-request.js";
import { readWishes } from "./read.js";
import { globWishes, grepWishes } from "./search.js";
import { shellWishes } from "./shell.js";

/** The newer family of built-in tools: the same work as the older ones, but every result is one text. */
export const piRequests: NativeRequests = {
  piReadArgs: (args) => textRequest("piReadResult", "read", readWishes(args)),
  piBashArgs({ command, timeout }) {
    const timeoutMs = positive((timeout ?? 0) * 1_000);
    const asked = { command, workingDirectory: "", timeoutMs, patienceMs: timeoutMs, isBackground: false };
    return textRequest("piBashResult", "shell", shellWishes(asked));
  },
  piEditArgs: (args) => textRequest("piEditResult", "edit", editWishes(args)),
  piWriteArgs: ({ path, content }) => textRequest("piWriteResult", "write", writeWishes(path, content)),
  piGrepArgs({ pattern, path, glob, ignoreCase, literal, context, limit }) {
    const extent = { outputMode: "content", hasLineNumbers: true, context: positive(context), limit: positive(limit) };
    const asked = { pattern, path, glob, isCaseInsensitive: ignoreCase, isLiteral: literal, extent };
    return textRequest("piGrepResult", "grep", grepWishes(asked));
  },
  piFindArgs: ({ pattern, path, limit }) =>
    textRequest("piFindResult", "glob", globWishes(pattern, path, positive(limit))),
  piLsArgs: ({ path, limit }) =>
    textRequest("piLsResult", "list", listWishes({ path: path ?? ".", limit: positive(limit) })),
};

function textRequest(
  resultCase: ResultTaking<{ case: "success"; value: { output: string } }>,
  role: Role,
  wishes: readonly Wish[],
): NativeRequest {
  return {
    role,
    wishes,
    toResults({ text, isError }) {
      if (isError) return answerWith(resultCase, { case: "error", value: { error: text } });
      return answerWith(resultCase, { case: "success", value: { output: text } });
    },
  };
}
