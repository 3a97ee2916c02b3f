import type { DeleteArgs, PiEditArgs, WriteArgs } from "../../../gen/agent_v1_pb.js";
import { answerWith, type NativeRequest, type WantedInput } from "./native-request.js";
import { countLines } from "./read.js";

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
    carriesWords: false, // its one text is the content of the file
    toResults({ text, isError }) {
      if (isError) return answerWith("writeResult", { case: "error", value: { path, error: text } });
      const success = {
        path,
        linesCreated: countLines(content),
        fileSize: Buffer.byteLength(content),
        ...(args.returnFileContentAfterWrite && { fileContentAfterWrite: content }),
      };
      return answerWith("writeResult", { case: "success", value: success });
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
      if (isError) return answerWith("deleteResult", { case: "error", value: { path, error: text } });
      return answerWith("deleteResult", { case: "success", value: { path, deletedFile: path } });
    },
  };
}

export function editInputs({ path, edits }: PiEditArgs): readonly WantedInput[] {
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
