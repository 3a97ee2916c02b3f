import type { DeleteArgs, PiEditExecArgs, WriteArgs } from "@curlew/wire/gen/agent_v1_pb.js";
import { type NativeRequest, positive, type SlotValues, type WantedInput, withOutcome } from "./native-request.js";

/** For tools that require a last line even when the request has none. */
const FAR_LINE = 1_000_000;
/** The limit that most clients use by default. */
const COMMON_LIMIT = 2_000;

const rangeSlots = ["offset", "offsetWithLimit", "limit", "startLine", "viewRange"];

interface ReadAsked {
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
      if (isError) return [withOutcome(resultCase, { case: "error", value: { path, error: text + words } })];
      const content = { case: "content" as const, value: text + words };
      const success = {
        path,
        output: image === undefined ? content : { case: "data" as const, value: image },
        totalLines: image === undefined ? countLines(text) : 0,
        fileSize: BigInt(image?.length ?? Buffer.byteLength(text)),
        rangeApplied: rangeSlots.some((slot) => said.has(slot)),
      };
      return [withOutcome(resultCase, { case: "success", value: success })];
    },
  };
}

function countLines(text: string): number {
  if (text === "") return 0;
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

export function writeInputs(path: string, content: string): readonly WantedInput[] {
  if (path === "") return [];
  return [
    {
      must: { path, content },
      // Cursor's write replaces the whole file.
      may: { isOverwrite: true },
      ifRequired: {
        lineCount: countLines(content),
        operation: { oneOf: ["write", "overwrite", "create", "rewrite", "save"] },
      },
      purpose: `Write ${path}`,
    },
  ];
}

export function writeRequest(args: WriteArgs): NativeRequest | undefined {
  const { path } = args;
  const content = contentOf(args);
  if (content === undefined) return undefined;
  return {
    role: "write",
    inputs: writeInputs(path, content),
    carriesWords: false, // its only text field is the file's content
    toResults({ text, isError }) {
      if (isError) return [withOutcome("writeResult", { case: "error", value: { path, error: text } })];
      const success = {
        path,
        linesCreated: countLines(content),
        fileSize: Buffer.byteLength(content),
        ...(args.returnFileContentAfterWrite && { fileContentAfterWrite: content }),
      };
      return [withOutcome("writeResult", { case: "success", value: success })];
    },
  };
}

/** Bytes win over text. Bytes that are not valid text cannot be passed to any tool. */
function contentOf({ fileText, fileBytes }: WriteArgs): string | undefined {
  if (fileBytes.length === 0) return fileText;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(fileBytes);
  } catch {
    return undefined;
  }
}

export function deleteRequest({ path }: DeleteArgs): NativeRequest {
  return {
    role: "delete",
    inputs: path === "" ? [] : [{ must: { path }, ifRequired: { isRecursive: false }, purpose: `Delete ${path}` }],
    carriesWords: false,
    toResults({ text, isError }) {
      if (isError) return [withOutcome("deleteResult", { case: "error", value: { path, error: text } })];
      return [withOutcome("deleteResult", { case: "success", value: { path, deletedFile: path } })];
    },
  };
}

export function editInputs({ path, edits }: PiEditExecArgs): readonly WantedInput[] {
  if (path === "" || edits.length === 0) return [];
  return [
    {
      must: { path },
      each: edits.map(({ oldText, newText }) => ({ oldText, newText })),
      ifRequired: {
        isReplaceAll: false,
        occurrences: 1,
        operation: { oneOf: ["str_replace", "replace", "edit", "update"] },
      },
      purpose: `Edit ${path}`,
    },
  ];
}
