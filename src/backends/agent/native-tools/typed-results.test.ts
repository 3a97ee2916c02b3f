import { describe, expect, it } from "vitest";
import type { SentResult } from "../../../turn/blocks.js";
import { answer, said } from "./answers.cases.js";
import { clientTools } from "./client-tools.cases.js";
import { mapNativeExec, nativeResults } from "./map-native-exec.js";
import { execOf } from "./native-execs.cases.js";

describe("a file's result", () => {
  it("is its content, and says whether the range was heeded", () => {
    const success = { path: "/repo/a.ts", output: { case: "content", value: "a\nb\n" }, totalLines: 2, fileSize: 4n };
    expect(answer("pi", "read", said("a\nb\n"))).toMatchObject([
      { case: "readResult", value: { result: { case: "success", value: { ...success, rangeApplied: true } } } },
    ]);
    expect(answer("continueCli", "read", said("a\nb\n"))).toMatchObject([
      { case: "readResult", value: { result: { case: "success", value: { ...success, rangeApplied: false } } } },
    ]);
    expect(answer("qwen", "readAll", said("a"))).toMatchObject([
      {
        case: "redactedReadResult",
        value: { result: { case: "success", value: { totalLines: 1, rangeApplied: false } } },
      },
    ]);
  });

  it("is the bytes of a picture, when it is one", () => {
    const data = Uint8Array.of(0x89, 0x50);
    const picture: SentResult["content"] = [
      { type: "text", text: "Image read successfully" },
      { type: "image", mimeType: "image/png", data },
    ];
    const success = { output: { case: "data", value: data }, totalLines: 0, fileSize: 2n };
    expect(answer("openCode", "readAll", { callId: "1", content: picture, isError: false })).toMatchObject([
      { value: { result: { case: "success", value: success } } },
    ]);
  });

  it("is the client's own words when it could not be read, and never empty ones", () => {
    expect(answer("pi", "read", said("File not found: /repo/a.ts", true))).toMatchObject([
      { value: { result: { case: "error", value: { path: "/repo/a.ts", error: "File not found: /repo/a.ts" } } } },
    ]);
    expect(answer("pi", "read", said(" ", true))).toMatchObject([
      { value: { result: { case: "error", value: { error: "The tool read failed and did not say why." } } } },
    ]);
  });

  it("counts what was written, and repeats it where that was asked for", () => {
    const written = { path: "/repo/b.ts", linesCreated: 2, fileSize: 4 };
    expect(answer("qwen", "write", said("Wrote it."))).toMatchObject([
      { case: "writeResult", value: { result: { case: "success", value: written } } },
    ]);
    const [{ value } = { value: undefined }] = answer("qwen", "write", said("Wrote it."));
    expect(JSON.stringify(value)).not.toContain("fileContentAfterWrite");
    const bytes = new TextEncoder().encode("é");
    const exec = execOf({
      case: "writeArgs",
      value: { path: "/u", fileBytes: bytes, returnFileContentAfterWrite: true },
    });
    const call = mapNativeExec(exec, clientTools.qwen);
    expect(JSON.parse(call?.input ?? "")).toEqual({ file_path: "/u", content: "é" });
    expect(call && nativeResults(exec, call, said("ok"))).toMatchObject([
      { value: { result: { case: "success", value: { linesCreated: 1, fileSize: 2, fileContentAfterWrite: "é" } } } },
    ]);
    expect(answer("qwen", "write", said("Read it first.", true))).toMatchObject([
      { value: { result: { case: "error", value: { path: "/repo/b.ts", error: "Read it first." } } } },
    ]);
  });

  it("says that it was deleted, or why not", () => {
    expect(answer("zed", "delete", said("Deleted."))).toMatchObject([
      { case: "deleteResult", value: { result: { case: "success", value: { path: "/repo/old.ts" } } } },
    ]);
    expect(answer("zed", "delete", said("busy", true))).toMatchObject([
      { case: "deleteResult", value: { result: { case: "error", value: { path: "/repo/old.ts", error: "busy" } } } },
    ]);
  });
});

describe("a finding's result", () => {
  it("is a tree of the folder", () => {
    expect(answer("qwen", "ls", said("Directory listing for /repo/src:\n[DIR] lib\na.ts"))).toMatchObject([
      {
        case: "lsResult",
        value: {
          result: {
            case: "success",
            value: {
              directoryTreeRoot: {
                absPath: "/repo/src",
                childrenDirs: [{ absPath: "/repo/src/lib" }],
                childrenFiles: [{ name: "a.ts" }],
                numFiles: 1,
              },
            },
          },
        },
      },
    ]);
    expect(answer("qwen", "ls", said("no such folder", true))).toMatchObject([
      { value: { result: { case: "error", value: { path: "/repo/src", error: "no such folder" } } } },
    ]);
  });

  it("is the matches of each file, under the folder that was searched", () => {
    const [result] = answer("claudeCode", "grep", said("src/a.ts:3:foo()\nsrc/a.ts-4-}"));
    expect(result).toMatchObject({
      case: "grepResult",
      value: {
        result: {
          case: "success",
          value: {
            pattern: "fo+",
            path: "/repo",
            outputMode: "content",
            workspaceResults: {
              "/repo": {
                result: {
                  case: "content",
                  value: {
                    matches: [
                      {
                        file: "src/a.ts",
                        matches: [
                          { lineNumber: 3, content: "foo()", isContextLine: false },
                          { lineNumber: 4, content: "}", isContextLine: true },
                        ],
                      },
                    ],
                    totalLines: 2,
                    totalMatchedLines: 1,
                  },
                },
              },
            },
          },
        },
      },
    });
  });

  it("is a list of files where names were asked for", () => {
    const files = { case: "files", value: { files: ["a.ts", "b.ts"], totalFiles: 2 } };
    expect(answer("claudeCode", "grepHere", said("Found 2 files\na.ts\nb.ts"))).toMatchObject([
      {
        value: {
          result: {
            value: { outputMode: "files_with_matches", workspaceResults: { "/workspace": { result: files } } },
          },
        },
      },
    ]);
    expect(answer("openCode", "grepByName", said("a.ts\nb.ts"))).toMatchObject([
      { case: "grepResult", value: { result: { value: { workspaceResults: { "/repo": { result: files } } } } } },
    ]);
  });

  it("stands under the neutral workspace when no other folder was searched", () => {
    const exec = execOf({ case: "grepArgs", value: { pattern: "x", path: "." } });
    const call = mapNativeExec(exec, clientTools.pi);
    const [result] = call === undefined ? [] : nativeResults(exec, call, said("3:x"));
    const content = { matches: [{ file: "output", matches: [{ content: "3:x" }] }] };
    expect(result).toMatchObject({
      value: { result: { value: { workspaceResults: { "/workspace": { result: { value: content } } } } } },
    });
  });

  it("is an error with words when the search failed", () => {
    expect(answer("pi", "grep", said("", true))).toMatchObject([
      { value: { result: { case: "error", value: { error: "The tool grep failed and did not say why." } } } },
    ]);
  });

  it("is the content of a page", () => {
    expect(
      answer("cline", "fetch", said('[{"query":"https://example.com/a","result":"# A","success":true}]')),
    ).toMatchObject([
      {
        case: "fetchResult",
        value: {
          result: { case: "success", value: { url: "https://example.com/a", content: "# A", statusCode: 200 } },
        },
      },
    ]);
    expect(answer("zed", "fetch", said("404", true))).toMatchObject([
      { value: { result: { case: "error", value: { url: "https://example.com/a", error: "404" } } } },
    ]);
  });

  it.each([
    ["piRead", "piReadResult"],
    ["piWrite", "piWriteResult"],
    ["piEdit", "piEditResult"],
    ["piGrep", "piGrepResult"],
    ["piFind", "piFindResult"],
    ["piLs", "piLsResult"],
  ] as const)("of %s is the client's text, as it is", (kind, resultCase) => {
    expect(answer("pi", kind, said(" as\nit is "))).toMatchObject([
      { case: resultCase, value: { result: { case: "success", value: { output: " as\nit is " } } } },
    ]);
    expect(answer("pi", kind, said("no", true))).toMatchObject([
      { case: resultCase, value: { result: { case: "error", value: { error: "no" } } } },
    ]);
  });
});

describe("the user's words in a typed result", () => {
  const words = "\n\nThe user wrote: Exit code: 9";
  const saying = (text: string, isError = false): SentResult => ({ ...said(text, isError), words });
  const outcome = (client: Parameters<typeof answer>[0], kind: Parameters<typeof answer>[1], result: SentResult) =>
    answer(client, kind, result).map(({ value }) => value);

  it("follow what the tool said, and change nothing of what it means", () => {
    const content = { case: "content", value: `a\nb\n${words}` };
    expect(outcome("pi", "read", saying("a\nb\n"))).toMatchObject([
      { result: { case: "success", value: { output: content, totalLines: 2, fileSize: 4n } } },
    ]);
    expect(outcome("pi", "read", saying("no such file", true))).toMatchObject([
      { result: { case: "error", value: { error: `no such file${words}` } } },
    ]);
    expect(outcome("qwen", "shell", saying("out\nExit Code: 2"))).toMatchObject([
      { result: { case: "failure", value: { exitCode: 2, stdout: `out\nExit Code: 2${words}` } } },
    ]);
  });

  it("stand beside the matches of a search, and below names as text", () => {
    const unnamed = (content: string) => ({ file: "output", matches: [{ content }] });
    const found = (matches: readonly object[]) => [
      { result: { case: "success", value: { workspaceResults: { "/repo": { result: { value: { matches } } } } } } },
    ];
    expect(outcome("qwen", "grepHere", saying("a.ts:3:x"))).toMatchObject([
      {
        result: {
          value: {
            workspaceResults: {
              "/workspace": { result: { case: "content", value: { matches: [{ file: "a.ts" }, unnamed(words)] } } },
            },
          },
        },
      },
    ]);
    expect(outcome("qwen", "grepByName", saying("/repo/a.ts"))).toMatchObject(found([unnamed(`/repo/a.ts${words}`)]));
  });
});

describe("a command's result", () => {
  it("is a success with the client's text as its output", () => {
    expect(answer("openCode", "shell", said("3 passed\n"))).toMatchObject([
      {
        case: "shellResult",
        value: {
          result: {
            case: "success",
            value: {
              command: "npm test",
              workingDirectory: "/repo/app",
              exitCode: 0,
              stdout: "3 passed\n",
              stderr: "",
            },
          },
        },
      },
    ]);
  });

  it("is a failure when the client writes another exit code than 0, error or not", () => {
    const written = "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nboom";
    expect(answer("codex", "shell", said(written))).toMatchObject([
      { value: { result: { case: "failure", value: { exitCode: 2, stdout: written } } } },
    ]);
    expect(answer("claudeCode", "shell", said("Exit code 1\nboom", true))).toMatchObject([
      { value: { result: { case: "failure", value: { exitCode: 1, stdout: "Exit code 1\nboom" } } } },
    ]);
  });

  it("is a failure without output when the client never ran it", () => {
    expect(answer("claudeCode", "shell", said("The user denied permission.", true))).toMatchObject([
      {
        value: {
          result: { case: "failure", value: { exitCode: 1, stdout: "", stderr: "The user denied permission." } },
        },
      },
    ]);
  });

  it("tells of a command that still runs", () => {
    const running = answer("codex", "shell", said("Process running with session ID 73\nOutput:\nlistening"));
    expect(running).toMatchObject([{ value: { isBackground: true, result: { case: "success" } } }]);
    expect(answer("codex", "shell", said("done"))).not.toMatchObject([{ value: { isBackground: true } }]);
  });

  it("is of the type that was asked for", () => {
    expect(answer("qwen", "miniSwe", said("ok"))).toMatchObject([
      { case: "miniSweAgentBashResult", value: { result: { case: "success", value: { command: "make check" } } } },
    ]);
    expect(answer("qwen", "piBash", said("ok"))).toMatchObject([
      { case: "piBashResult", value: { result: { case: "success", value: { output: "ok" } } } },
    ]);
    expect(answer("qwen", "piBash", said("no", true))).toMatchObject([
      { case: "piBashResult", value: { result: { case: "error", value: { error: "no" } } } },
    ]);
  });

  it("comes as start, output and exit where it is streamed", () => {
    expect(answer("pi", "shellStream", said("boom\n\nCommand exited with code 3", true))).toMatchObject([
      { case: "shellStream", value: { event: { case: "start" } } },
      {
        case: "shellStream",
        value: { event: { case: "stdout", value: { data: "boom\n\nCommand exited with code 3" } } },
      },
      { case: "shellStream", value: { event: { case: "exit", value: { code: 3, cwd: "/repo/app" } } } },
    ]);
    expect(answer("pi", "shellStream", said(""))).toMatchObject([
      { value: { event: { case: "start" } } },
      { value: { event: { case: "exit", value: { code: 0 } } } },
    ]);
    expect(answer("pi", "shellStream", said("killed\nexit code: -1", true)).at(-1)).toMatchObject({
      value: { event: { case: "exit", value: { code: 255 } } },
    });
    expect(answer("pi", "shellStream", said("not allowed", true))[1]).toMatchObject({
      value: { event: { case: "stderr", value: { data: "not allowed" } } },
    });
  });

  it("names a background command by its ids, and keeps how to follow it", () => {
    const text = "Command running in background with ID: bash_4 (pid: 812).\nRead its output with BashOutput.";
    const command = `npm run dev\n# ${text.replace("\n", "\n# ")}`;
    const success = { shellId: 4, pid: 812, workingDirectory: "/workspace", command };
    expect(answer("claudeCode", "background", said(text))).toMatchObject([
      { case: "backgroundShellSpawnResult", value: { result: { case: "success", value: success } } },
    ]);
    expect(answer("claudeCode", "background", said(""))).toMatchObject([
      { value: { result: { case: "success", value: { shellId: 0, command: "npm run dev" } } } },
    ]);
    expect(answer("claudeCode", "background", said("no shell", true))).toMatchObject([
      { value: { result: { case: "error", value: { command: "npm run dev", error: "no shell" } } } },
    ]);
  });
});
