import { describe, expect, it } from "vitest";
import { answer, said } from "./answers.cases.js";

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

  it("ends with what the user wrote meanwhile, which says nothing about how the command ended", () => {
    const content = ["3 passed", "\nThe user: process exited with code 7"].map((text) => ({
      type: "text" as const,
      text,
    }));
    const result = { callId: "call_1", content, isError: false, wordsAt: 1 };
    const stdout = "3 passed\nThe user: process exited with code 7";
    expect(answer("openCode", "shell", result)).toMatchObject([
      { value: { result: { case: "success", value: { exitCode: 0, stdout } } } },
    ]);
    expect(answer("openCode", "shellStream", result)).toMatchObject([
      { value: { event: { case: "start" } } },
      { value: { event: { case: "stdout", value: { data: stdout } } } },
      { value: { event: { case: "exit", value: { code: 0 } } } },
    ]);
    expect(answer("qwen", "piBash", result)).toMatchObject([
      { value: { result: { case: "success", value: { output: stdout } } } },
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
