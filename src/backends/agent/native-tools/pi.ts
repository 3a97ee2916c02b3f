import type { Role } from "./equivalents.js";
import { listInputs } from "./list.js";
import {
  answerWith,
  type NativeRequest,
  type NativeRequests,
  positive,
  type ResultTaking,
  type WantedInput,
} from "./native-request.js";
import { readInputs } from "./read.js";
import { globInputs, grepInputs } from "./search.js";
import { shellInputs } from "./shell.js";
import { editInputs, writeInputs } from "./write-edit-delete.js";

/** The newer family of built-in tools (`pi_*`): the same work as the older family, but every result is one text. */
export const piRequests: NativeRequests = {
  piReadArgs: (args) => textRequest("piReadResult", "read", readInputs(args)),
  piBashArgs({ command, timeout }) {
    const timeoutMs = positive((timeout ?? 0) * 1_000);
    const asked = { command, workingDirectory: "", timeoutMs, patienceMs: timeoutMs, isBackground: false };
    return textRequest("piBashResult", "shell", shellInputs(asked));
  },
  piEditArgs: (args) => textRequest("piEditResult", "edit", editInputs(args)),
  piWriteArgs: ({ path, content }) => textRequest("piWriteResult", "write", writeInputs(path, content)),
  piGrepArgs({ pattern, path, glob, ignoreCase, literal, context, limit }) {
    const extent = { outputMode: "content", hasLineNumbers: true, context: positive(context), limit: positive(limit) };
    const asked = { pattern, path, glob, isCaseInsensitive: ignoreCase, isLiteral: literal, extent };
    return textRequest("piGrepResult", "grep", grepInputs(asked));
  },
  piFindArgs: ({ pattern, path, limit }) =>
    textRequest("piFindResult", "glob", globInputs(pattern, path, positive(limit))),
  piLsArgs: ({ path, limit }) =>
    textRequest("piLsResult", "list", listInputs({ path: path ?? ".", limit: positive(limit) })),
};

function textRequest(
  resultCase: ResultTaking<{ case: "success"; value: { output: string } }>,
  role: Role,
  inputs: readonly WantedInput[],
): NativeRequest {
  return {
    role,
    inputs,
    takesWords: true,
    toResults({ text, isError, words }) {
      if (isError) return answerWith(resultCase, { case: "error", value: { error: text + words } });
      return answerWith(resultCase, { case: "success", value: { output: text + words } });
    },
  };
}
