import type { GrepArgs } from "@curlew/wire/gen/agent_v1_pb.js";
import { toFiles, toGrepFinding, withWords } from "./grep-result.js";
import {
  isNeutralFolder,
  type NativeRequest,
  NEUTRAL_FOLDER,
  positive,
  type SlotValues,
  type WantedInput,
  withOutcome,
} from "./native-request.js";

interface GrepAsked {
  readonly pattern: string;
  readonly path?: string | undefined;
  readonly glob?: string | undefined;
  readonly fileType?: string | undefined;
  readonly isCaseInsensitive?: boolean | undefined;
  readonly isLiteral?: boolean | undefined;
  readonly isMultiline?: boolean | undefined;
  readonly contextBefore?: number | undefined;
  readonly contextAfter?: number | undefined;
  /** Values that change how much of each match is shown, not what matches. Passed where a tool has parameters for them. */
  readonly extent: SlotValues;
}

/** All inputs that ask for the same matches: a value without a parameter may still go into the pattern or the glob. */
export function grepInputs(asked: GrepAsked): readonly WantedInput[] {
  const { pattern, path } = asked;
  if (pattern === "") return [];
  const glob = asked.glob === "" ? undefined : asked.glob;
  const fileType = asked.fileType === "" ? undefined : asked.fileType;
  let inputs: readonly WantedInput[] = [
    {
      must: {
        pattern,
        path: isNeutralFolder(path) ? undefined : path,
        glob,
        isMultiline: asked.isMultiline === true ? true : undefined,
      },
      may: { ...asked.extent, isCaseSensitive: asked.isCaseInsensitive !== true, isRegex: true },
      ifRequired: { path: ".", isCaseInsensitive: false, isLiteral: false, isMultiline: false },
      purpose: `Search for ${pattern}`,
    },
  ];
  if (asked.isLiteral === true) {
    const escaping = rewording((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
    inputs = either(inputs, saying({ isLiteral: true }), saying({ isRegex: false }), escaping);
  }
  if (asked.isCaseInsensitive === true) {
    const prefixing = rewording((expression) => `(?i)${expression}`);
    // A literal text cannot carry flags.
    const inPattern: Change = (wanted) =>
      wanted.must.isLiteral === true || wanted.must.isRegex === false ? undefined : prefixing(wanted);
    inputs = either(inputs, saying({ isCaseInsensitive: true }), saying({ isCaseSensitive: false }), inPattern);
  }
  if (fileType !== undefined) {
    const asGlob = glob === undefined ? globOfFileType(fileType) : undefined;
    inputs = either(inputs, saying({ fileType }), ...(asGlob === undefined ? [] : [saying({ glob: asGlob })]));
  }
  const { contextBefore, contextAfter } = asked;
  if (contextBefore !== undefined || contextAfter !== undefined) {
    const around = Math.max(contextBefore ?? 0, contextAfter ?? 0);
    inputs = either(inputs, saying({ contextBefore, contextAfter }), saying({ context: around }), (wanted) => wanted);
  }
  return inputs;
}

/** Returns undefined where the input cannot be written in this form. */
type Change = (wanted: WantedInput) => WantedInput | undefined;

/** Combines each input with each form. The first forms are the better ones. */
function either(inputs: readonly WantedInput[], ...changes: readonly Change[]): readonly WantedInput[] {
  return inputs.flatMap((wanted) => changes.flatMap((change) => change(wanted) ?? []));
}

function saying(values: SlotValues): Change {
  return (wanted) => ({ ...wanted, must: { ...wanted.must, ...values } });
}

function rewording(reword: (pattern: string) => string): Change {
  return (wanted) => ({ ...wanted, must: { ...wanted.must, pattern: reword(String(wanted.must.pattern)) } });
}

/** Empty for a pattern that excludes: a glob tool finds what matches, never what does not. */
export function globInputs(
  pattern: string,
  path: string | undefined,
  limit: number | undefined,
): readonly WantedInput[] {
  if (pattern === "" || pattern.startsWith("!")) return [];
  return [
    {
      // A name without a folder means any depth, but some tools search only the top folder for it.
      must: {
        pattern: pattern.includes("/") ? pattern : `**/${pattern}`,
        path: isNeutralFolder(path) ? undefined : path,
      },
      may: { limit },
      ifRequired: { path: "." },
      purpose: `Find ${pattern}`,
    },
  ];
}

export function grepRequest(args: GrepArgs): NativeRequest {
  const { pattern, path } = args;
  const isByName = pattern === "";
  const mode = args.outputMode === "files_with_matches" || args.outputMode === "count" ? args.outputMode : "content";
  return {
    role: isByName ? "glob" : "grep",
    inputs: isByName
      ? globInputs(args.glob ?? "", path, positive(args.headLimit))
      : grepInputs({
          pattern,
          path,
          glob: args.glob,
          fileType: args.type,
          isCaseInsensitive: args.caseInsensitive,
          isMultiline: args.multiline,
          // A value for both sides wins over a value for one side.
          ...(args.context === undefined && {
            contextBefore: positive(args.contextBefore),
            contextAfter: positive(args.contextAfter),
          }),
          extent: {
            outputMode: mode,
            hasLineNumbers: mode === "content" ? true : undefined,
            context: positive(args.context),
            limit: positive(args.headLimit),
            skip: positive(args.offset),
          },
        }),
    carriesWords: true,
    toResults({ text, isError, words }) {
      if (isError) return [withOutcome("grepResult", { case: "error", value: { error: text + words } })];
      const searchedFile = isNeutralFolder(path) ? undefined : path;
      const found = isByName ? toFiles(text) : toGrepFinding(text, mode, searchedFile);
      const finding = words === "" ? found : withWords(found, text, words);
      const outputMode = { content: "content", files: "files_with_matches", count: "count" }[finding.case];
      const folder = searchedFile ?? NEUTRAL_FOLDER;
      const workspaceResults = { [folder]: { result: finding } };
      const success = { pattern, path: path ?? "", outputMode, workspaceResults };
      return [withOutcome("grepResult", { case: "success", value: success })];
    },
  };
}

/** Ripgrep's file types whose files have the type as their extension. */
const sameAsExtension = new Set("cs go java json lua php proto rb rs sql svelte swift toml txt vue xml".split(" "));
const extensions = new Map([
  ["c", "{c,h}"],
  ["cpp", "{cc,cpp,cxx,h,hh,hpp,hxx,inl}"],
  ["css", "{css,scss}"],
  ["html", "{htm,html}"],
  ["js", "{js,jsx,cjs,mjs,vue}"],
  ["kotlin", "{kt,kts}"],
  ["markdown", "{markdown,md,mdx,mkd}"],
  ["md", "{markdown,md,mdx,mkd}"],
  ["py", "{py,pyi}"],
  ["python", "{py,pyi}"],
  ["ruby", "rb"],
  ["rust", "rs"],
  ["sh", "{bash,sh,zsh}"],
  ["ts", "{cts,mts,ts,tsx}"],
  ["yaml", "{yaml,yml}"],
]);

/** A file type as a glob, for search tools that take only globs. */
function globOfFileType(type: string): string | undefined {
  const extension = sameAsExtension.has(type) ? type : extensions.get(type);
  return extension && `*.${extension}`;
}
