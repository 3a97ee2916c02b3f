import { create, toBinary } from "@bufbuild/protobuf";
import { ExecClientMessageSchema } from "@curlew/wire/gen/agent_v1_pb.js";
import { describe, expect, it } from "vitest";
import type { SentResult } from "../../../turn/blocks.js";
import { type Client, clientTools } from "./client-tools.cases.js";
import { mapNativeExec, nativeResults } from "./map-native-exec.js";
import { execOf, type NativeExec, nativeExecs } from "./native-execs.cases.js";

const said = (text: string, isError = false): SentResult => ({
  callId: "call_1",
  content: [{ type: "text", text }],
  isError,
});

/** The messages sent upstream after a client's tool has run for a built-in one, each proven to be encodable. */
function answer(client: Client, kind: NativeExec, result: SentResult) {
  const call = mapNativeExec(nativeExecs[kind], clientTools[client]);
  if (call === undefined) throw new Error(`${client} has no tool for ${kind}`);
  return nativeResults(nativeExecs[kind], call, result).map((message) => {
    const created = create(ExecClientMessageSchema, { id: 1, message });
    toBinary(ExecClientMessageSchema, created);
    return created.message;
  });
}

/** The only answer: its type, outcome and value. */
function outcome(...asked: Parameters<typeof answer>) {
  const [only, ...others] = answer(...asked);
  expect(others).toEqual([]);
  return { type: only?.case, ...Reflect.get(Object(only?.value), "result") };
}

const success = (type: string, value: object) => ({ type, case: "success", value });
const error = (type: string, value: object) => ({ type, case: "error", value });

describe("a file's result", () => {
  it("is its content, and says whether the range was applied", () => {
    const read = { path: "/repo/a.ts", output: { case: "content", value: "a\nb\n" }, totalLines: 2, fileSize: 4n };
    const readBy = (client: "pi" | "continueCli") => outcome(client, "read", said("a\nb\n"));
    expect(readBy("pi")).toMatchObject(success("readResult", { ...read, rangeApplied: true }));
    expect(readBy("continueCli")).toMatchObject(success("readResult", { ...read, rangeApplied: false }));
    const whole = { totalLines: 1, rangeApplied: false };
    expect(outcome("qwen", "readAll", said("a"))).toMatchObject(success("redactedReadResult", whole));
  });

  it("is the bytes of a picture", () => {
    const data = Uint8Array.of(0x89, 0x50);
    const content: SentResult["content"] = [
      { type: "text", text: "Image read successfully" },
      { type: "image", mimeType: "image/png", data },
    ];
    const value = { output: { case: "data", value: data }, totalLines: 0, fileSize: 2n };
    expect(outcome("openCode", "readAll", { callId: "1", content, isError: false })).toMatchObject({ value });
  });

  it("counts what was written, and repeats it on request", () => {
    const written = outcome("qwen", "write", said("Wrote it."));
    expect(written).toMatchObject(success("writeResult", { path: "/repo/b.ts", linesCreated: 2, fileSize: 4 }));
    expect(JSON.stringify(written)).not.toContain("fileContentAfterWrite");
    const fileBytes = new TextEncoder().encode("é");
    const value = { path: "/u", fileBytes, returnFileContentAfterWrite: true };
    const exec = execOf({ case: "writeArgs", value });
    const call = mapNativeExec(exec, clientTools.qwen);
    expect(JSON.parse(call?.input ?? "")).toEqual({ file_path: "/u", content: "é" });
    expect(call && nativeResults(exec, call, said("ok"))).toMatchObject([
      { value: { result: { case: "success", value: { linesCreated: 1, fileSize: 2, fileContentAfterWrite: "é" } } } },
    ]);
  });

  it("says that it was deleted", () => {
    expect(outcome("zed", "delete", said("Deleted."))).toMatchObject(success("deleteResult", { path: "/repo/old.ts" }));
  });
});

it.each([
  ["pi", "read", "readResult", { path: "/repo/a.ts" }],
  ["qwen", "write", "writeResult", { path: "/repo/b.ts" }],
  ["zed", "delete", "deleteResult", { path: "/repo/old.ts" }],
  ["qwen", "ls", "lsResult", { path: "/repo/src" }],
  ["zed", "fetch", "fetchResult", { url: "https://example.com/a" }],
  ["claudeCode", "background", "backgroundShellSpawnResult", { command: "npm run dev" }],
] as const)("the result of a tool that fails is its own words: %s, %s", (client, kind, type, about) => {
  expect(outcome(client, kind, said("no such thing", true))).toMatchObject(
    error(type, { ...about, error: "no such thing" }),
  );
});

it("an error always has a text", () => {
  const silent = (name: string) => ({ error: `The tool ${name} failed and did not say why.` });
  expect(outcome("pi", "read", said(" ", true))).toMatchObject(error("readResult", silent("read")));
  expect(outcome("pi", "grep", said("", true))).toMatchObject(error("grepResult", silent("grep")));
});

describe("a finding's result", () => {
  it("is a tree of the folder", () => {
    const directoryTreeRoot = {
      absPath: "/repo/src",
      childrenDirs: [{ absPath: "/repo/src/lib" }],
      childrenFiles: [{ name: "a.ts" }],
      numFiles: 1,
    };
    const listed = outcome("qwen", "ls", said("Directory listing for /repo/src:\n[DIR] lib\na.ts"));
    expect(listed).toMatchObject(success("lsResult", { directoryTreeRoot }));
  });

  it("is the matches of each file, under the folder that was searched", () => {
    const matches = [
      { lineNumber: 3, content: "foo()", isContextLine: false },
      { lineNumber: 4, content: "}", isContextLine: true },
    ];
    const value = { matches: [{ file: "src/a.ts", matches }], totalLines: 2, totalMatchedLines: 1 };
    expect(outcome("claudeCode", "grep", said("src/a.ts:3:foo()\nsrc/a.ts-4-}"))).toMatchObject(
      success("grepResult", {
        pattern: "fo+",
        path: "/repo",
        outputMode: "content",
        workspaceResults: { "/repo": { result: { case: "content", value } } },
      }),
    );
  });

  it("is a list of files where names were asked for", () => {
    const files = { result: { case: "files", value: { files: ["a.ts", "b.ts"], totalFiles: 2 } } };
    const here = { outputMode: "files_with_matches", workspaceResults: { "/workspace": files } };
    expect(outcome("claudeCode", "grepHere", said("Found 2 files\na.ts\nb.ts"))).toMatchObject({ value: here });
    const byName = outcome("openCode", "grepByName", said("a.ts\nb.ts"));
    expect(byName).toMatchObject(success("grepResult", { workspaceResults: { "/repo": files } }));
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

  it("is the content of a page", () => {
    const page = said('[{"query":"https://example.com/a","result":"# A","success":true}]');
    const value = { url: "https://example.com/a", content: "# A", statusCode: 200 };
    expect(outcome("cline", "fetch", page)).toMatchObject(success("fetchResult", value));
  });

  it.each(["piBash", "piRead", "piWrite", "piEdit", "piGrep", "piFind", "piLs"] as const)(
    "of %s is the client's text, unchanged",
    (kind) => {
      const type = `${kind}Result`;
      expect(outcome("pi", kind, said(" as\nit is "))).toMatchObject(success(type, { output: " as\nit is " }));
      expect(outcome("pi", kind, said("no", true))).toMatchObject(error(type, { error: "no" }));
    },
  );
});

describe("the result of a shell's command in place of a tool", () => {
  const codex = (code: number, output: string) =>
    said(
      `Chunk ID: 1a\nWall time: 0.1 seconds\nProcess exited with code ${code}\nOriginal token count: 3\nOutput:\n${output}`,
    );

  it.each([
    codex(0, "a\nExit code 1.\n"),
    said("Exit code: 0\nWall time: 0.1 seconds\nTotal output lines: 2\nOutput:\na\nExit code 1.\n"),
    said('{"output":"a\\nExit code 1.\\n","metadata":{"exit_code":0,"duration_seconds":0.1}}'),
    said("a\nExit code 1.\n\nExit code 0."),
    said("a\nExit code 1.\n"),
  ])("is the content of the file alone: %j", (result) => {
    const output = { case: "content", value: "a\nExit code 1.\n" };
    const value = { path: "/repo/a.ts", output, totalLines: 2, rangeApplied: true };
    expect(outcome("codex", "read", result)).toMatchObject(success("readResult", value));
    expect(outcome("codex", "readAll", result)).toMatchObject({ value: { output, rangeApplied: false } });
  });

  it.each([
    [codex(1, "cat: no such file"), "cat: no such file"],
    [codex(127, ""), "The command failed with exit code 127."],
    [said("Denied by the user.", true), "Denied by the user."],
    [said("Process exited with code 1\nno such file", true), "Process exited with code 1\nno such file"],
  ])("is an error if the command failed: %j", (result, text) => {
    expect(outcome("codex", "read", result)).toMatchObject(error("readResult", { error: text }));
    expect(outcome("codex", "ls", result)).toMatchObject(error("lsResult", { error: text }));
  });

  it("is passed on whole while the command still runs", () => {
    const running = "Chunk ID: 1\nProcess running with session ID 73\nOutput:\nhalf";
    expect(outcome("codex", "readAll", said(running))).toMatchObject({ value: { output: { value: running } } });
  });

  it("is the names in a folder, whatever they begin with", () => {
    const names = ["+page.svelte", "`a", "-rf", "--- x", "(empty)", "# files", "dir two"];
    const listed = outcome("codex", "ls", codex(0, `${names.join("\n")}/\n`));
    const childrenFiles = names.slice(0, -1).map((name) => ({ name }));
    const directoryTreeRoot = { absPath: "/repo/src", childrenFiles, childrenDirs: [{ absPath: "/repo/src/dir two" }] };
    expect(listed).toMatchObject(success("lsResult", { directoryTreeRoot }));
  });

  it("is the matches of each file, or none", () => {
    const found = (content: object) => ({ value: { workspaceResults: { "/repo": { result: { value: content } } } } });
    const matches = [{ file: "/repo/a.ts", matches: [{ lineNumber: 3, content: "foo()" }] }];
    expect(outcome("codex", "grep", codex(0, "/repo/a.ts:3:foo()\n"))).toMatchObject(found({ matches }));
    for (const none of [codex(1, ""), said("Exit code 1", true)]) {
      expect(outcome("codex", "grep", none)).toMatchObject({ case: "success", ...found({ matches: [] }) });
    }
    expect(outcome("codex", "grep", codex(2, "grep: /repo: no"))).toMatchObject(
      error("grepResult", { error: "grep: /repo: no" }),
    );
  });
});

describe("the user's words in a typed result", () => {
  const words = "\n\nThe user wrote: Exit code: 9";
  const saying = (text: string, isError = false): SentResult => ({ ...said(text, isError), words });

  it("follow the tool's text, and do not change its meaning", () => {
    const output = { case: "content", value: `a\nb\n${words}` };
    expect(outcome("pi", "read", saying("a\nb\n"))).toMatchObject(
      success("readResult", { output, totalLines: 2, fileSize: 4n }),
    );
    expect(outcome("pi", "read", saying("no such file", true))).toMatchObject(
      error("readResult", { error: `no such file${words}` }),
    );
    const value = { exitCode: 2, stdout: `out\nExit Code: 2${words}` };
    expect(outcome("qwen", "shell", saying("out\nExit Code: 2"))).toMatchObject({ case: "failure", value });
  });

  it("follow the matches of a search, and turn a list of names into text", () => {
    const unnamed = (content: string) => ({ file: "output", matches: [{ content }] });
    const found = (folder: string, ...matches: object[]) => ({
      value: { workspaceResults: { [folder]: { result: { case: "content", value: { matches } } } } },
    });
    const beside = outcome("qwen", "grepHere", saying("a.ts:3:x"));
    expect(beside).toMatchObject(found("/workspace", { file: "a.ts" }, unnamed(words)));
    const below = outcome("qwen", "grepByName", saying("/repo/a.ts"));
    expect(below).toMatchObject(found("/repo", unnamed(`/repo/a.ts${words}`)));
  });
});

describe("a command's result", () => {
  it("is a success with the client's text as its output", () => {
    const command = { command: "npm test", workingDirectory: "/repo/app" };
    expect(outcome("openCode", "shell", said("3 passed\n"))).toMatchObject(
      success("shellResult", { ...command, exitCode: 0, stdout: "3 passed\n", stderr: "" }),
    );
    expect(outcome("qwen", "miniSwe", said("ok"))).toMatchObject(
      success("miniSweAgentBashResult", { command: "make check" }),
    );
  });

  const exited = "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nboom";
  it.each([
    ["names another exit code than 0", "codex", said(exited), { exitCode: 2, stdout: exited }],
    ["says so", "claudeCode", said("Exit code 1\nboom", true), { exitCode: 1, stdout: "Exit code 1\nboom" }],
    ["never ran it", "claudeCode", said("Denied.", true), { exitCode: 1, stdout: "", stderr: "Denied." }],
  ] as const)("is a failure when the client %s", (_, client, result, value) => {
    expect(outcome(client, "shell", result)).toMatchObject({ case: "failure", value });
  });

  it("reports a command that still runs", () => {
    const running = answer("codex", "shell", said("Process running with session ID 73\nOutput:\nlistening"));
    expect(running).toMatchObject([{ value: { isBackground: true, result: { case: "success" } } }]);
    expect(answer("codex", "shell", said("done"))).not.toMatchObject([{ value: { isBackground: true } }]);
  });

  it.each([
    ["boom\n\nCommand exited with code 3", true, "stdout", 3],
    ["killed\nexit code: -1", true, "stdout", 255],
    ["not allowed", true, "stderr", 1],
    ["", false, undefined, 0],
  ])("comes as start, output and exit where it is streamed: %j", (data, isError, stream, code) => {
    const events = [
      { case: "start" },
      ...(stream === undefined ? [] : [{ case: stream, value: { data } }]),
      { case: "exit", value: { code, cwd: "/repo/app" } },
    ];
    expect(answer("pi", "shellStream", said(data, isError))).toMatchObject(
      events.map((event) => ({ case: "shellStream", value: { event } })),
    );
  });

  it("names a background command by its ids, and keeps the advice on how to follow it", () => {
    const text = "Command running in background with ID: bash_4 (pid: 812).\nRead its output with BashOutput.";
    const command = `npm run dev\n# ${text.replace("\n", "\n# ")}`;
    const begun = (words: string) => outcome("claudeCode", "background", said(words));
    expect(begun(text)).toMatchObject(
      success("backgroundShellSpawnResult", { shellId: 4, pid: 812, workingDirectory: "/workspace", command }),
    );
    expect(begun("")).toMatchObject({ case: "success", value: { shellId: 0, command: "npm run dev" } });
  });
});
