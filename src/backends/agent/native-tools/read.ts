import { answerWith, type NativeRequest, positive, type SlotValues, type WantedInput } from "./native-request.js";

/** For tools that require a last line even when the request has none. */
const FAR_LINE = 1_000_000;
/** The limit that most clients use by default. */
const COMMON_LIMIT = 2_000;

const rangeSlots = ["offset", "offsetWithLimit", "limit", "startLine", "viewRange"];

export interface ReadAsked {
  readonly path: string;
  /** The first line, counted from 1. A negative offset counts from the end, which no client's tool can do. */
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

export function readInputs({ path, offset, limit: asked }: ReadAsked): readonly WantedInput[] {
  if (path === "") return [];
  const limit = positive(asked);
  const hasRange = offset !== undefined || limit !== undefined;
  const wanted: WantedInput = {
    must: { path },
    ifRequired: {
      startLine: 1,
      endLine: FAR_LINE,
      isWholeFile: true,
      operation: { oneOf: ["view", "read", "open", "cat"] },
    },
    purpose: `Read ${path}`,
  };
  // A tool that cannot take a range reads the whole file, which contains what was asked for.
  if (!hasRange || (offset !== undefined && offset < 0)) return [wanted];
  const start = Math.max(offset ?? 1, 1);
  const end = limit === undefined ? undefined : start + limit - 1;
  const ranges: readonly SlotValues[] = [
    ...(offset === undefined ? [{ limit }] : []),
    ...(offset !== undefined && limit === undefined ? [{ offset: start }] : []),
    ...(offset === undefined ? [] : [{ offsetWithLimit: start, limit: limit ?? COMMON_LIMIT }]),
    { startLine: start, endLine: end },
    { viewRange: [start, end ?? -1] },
  ];
  const ifRequired = { ...wanted.ifRequired, startLine: start, endLine: end ?? FAR_LINE, isWholeFile: false };
  return [...ranges.map((range) => ({ ...wanted, must: { path, ...range }, ifRequired })), wanted];
}

export function readRequest(asked: ReadAsked, resultCase: "readResult" | "redactedReadResult"): NativeRequest {
  const { path } = asked;
  return {
    role: "read",
    inputs: readInputs(asked),
    carriesWords: true,
    toResults({ text, image, isError, words }, said) {
      if (isError) return answerWith(resultCase, { case: "error", value: { path, error: text + words } });
      const content = { case: "content" as const, value: text + words };
      const success = {
        path,
        output: image === undefined ? content : { case: "data" as const, value: image },
        totalLines: image === undefined ? countLines(text) : 0,
        fileSize: BigInt(image?.length ?? Buffer.byteLength(text)),
        rangeApplied: rangeSlots.some((slot) => said.has(slot)),
      };
      return answerWith(resultCase, { case: "success", value: success });
    },
  };
}

export function countLines(text: string): number {
  if (text === "") return 0;
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}
