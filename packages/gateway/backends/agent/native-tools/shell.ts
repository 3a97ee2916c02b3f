import { type ShellArgs, TimeoutBehavior } from "@curlew/wire/gen/agent_v1_pb.js";
import { type ClientResult, findExitCode } from "./client-result.js";
import {
  type ExecResult,
  isNeutralFolder,
  type NativeRequest,
  positive,
  type WantedInput,
  withOutcome,
} from "./native-request.js";

const MAX_PURPOSE_CHARACTERS = 80;
/** For a tool that requires a timeout; most clients use two minutes by default. */
const REQUIRED_TIMEOUT_MS = 120_000;

export interface Command {
  readonly command: string;
  readonly workingDirectory: string;
  readonly timeoutMs?: number | undefined;
  /** How long to wait before the command continues in the background. */
  readonly patienceMs?: number | undefined;
  readonly isBackground: boolean;
}

export function commandOf(args: ShellArgs): Command {
  const timeoutMs = positive(args.timeout);
  // After a timeout of this kind the command continues in the background, so a client must not kill it.
  const staysAlive = args.timeoutBehavior === TimeoutBehavior.BACKGROUND;
  return {
    command: args.command,
    workingDirectory: args.workingDirectory,
    timeoutMs: staysAlive ? positive(args.hardTimeout) : timeoutMs,
    patienceMs: timeoutMs,
    isBackground: args.isBackground,
  };
}

export function shellInputs(command: Command): readonly WantedInput[] {
  const { workingDirectory } = command;
  if (command.command.trim() === "") return [];
  if (isNeutralFolder(workingDirectory)) return inForms(command, { command: command.command });
  return [
    ...inForms(command, { command: command.command, folder: workingDirectory }),
    ...inForms(command, { command: inFolder(command.command, workingDirectory) }),
  ];
}

function inForms(command: Command, must: WantedInput["must"]): readonly WantedInput[] {
  const wanted: WantedInput = {
    must,
    may: { timeoutMs: command.timeoutMs, patienceMs: command.patienceMs },
    ifRequired: {
      folder: ".",
      timeoutMs: REQUIRED_TIMEOUT_MS,
      isBackground: false,
      isBlocking: true,
      // The gateway cannot judge a command, so the user decides.
      needsApproval: true,
      runsUnasked: false,
    },
    purpose: purposeOf(command.command),
  };
  if (!command.isBackground) return [wanted];
  return [
    { ...wanted, must: { ...must, isBackground: true } },
    { ...wanted, must: { ...must, isBlocking: false } },
  ];
}

/** The command with a `cd` in front, for a tool without a parameter for the folder. If the folder does not exist, nothing runs. */
function inFolder(command: string, folder: string): string {
  const quoted = `'${folder.replaceAll("'", `'\\''`)}'`;
  const isCompound = /[;\n&]|\|\|/.test(command.replace(/&&|[<>]&|&>/g, ""));
  return isCompound ? `cd ${quoted} && {\n${command}\n}` : `cd ${quoted} && ${command}`;
}

function purposeOf(command: string): string {
  const line = command.trim().split("\n", 1)[0] ?? "";
  return `Run ${line.length > MAX_PURPOSE_CHARACTERS ? `${line.slice(0, MAX_PURPOSE_CHARACTERS)}...` : line}`;
}

function outcomeOf({ text, isError }: ClientResult) {
  const found = findExitCode(text);
  const exitCode = found ?? (isError ? 1 : 0);
  // An error without an exit code comes from the client itself: the command did not run, or was not allowed to.
  const stream = isError && found === undefined ? "stderr" : "stdout";
  return { exitCode, stream, hasFailed: isError || exitCode !== 0 } as const;
}

export function shellRequest(command: Command, resultCase: "shellResult" | "miniSweAgentBashResult"): NativeRequest {
  const { command: line, workingDirectory } = command;
  return {
    role: "shell",
    inputs: shellInputs(command),
    carriesWords: true,
    toResults(answer) {
      const { exitCode, stream, hasFailed } = outcomeOf(answer);
      const ended = { command: line, workingDirectory, exitCode, [stream]: answer.text + answer.words };
      // Some tools return while the command still runs, and say so with this line.
      const isStillRunning = /^process running with session id \d+/im.test(answer.text);
      const value = {
        result: hasFailed ? { case: "failure" as const, value: ended } : { case: "success" as const, value: ended },
        ...((command.isBackground || isStillRunning) && { isBackground: true }),
      };
      return [{ case: resultCase, value }];
    },
  };
}

export function shellStreamRequest(command: Command): NativeRequest {
  return {
    role: "shell",
    inputs: shellInputs(command),
    carriesWords: true,
    toResults(answer) {
      const { exitCode, stream } = outcomeOf(answer);
      const data = answer.text + answer.words;
      const output: ExecResult = { case: "shellStream", value: { event: { case: stream, value: { data } } } };
      // The exit code is unsigned on the wire, and a shell would show -1 as 255.
      const exit = { code: exitCode < 0 ? exitCode & 255 : exitCode, cwd: command.workingDirectory };
      return [
        { case: "shellStream", value: { event: { case: "start", value: {} } } },
        ...(data === "" ? [] : [output]),
        { case: "shellStream", value: { event: { case: "exit", value: exit } } },
      ];
    },
  };
}

export function backgroundShellRequest(command: Command): NativeRequest {
  const { command: line, workingDirectory } = command;
  return {
    role: "shell",
    inputs: shellInputs({ ...command, isBackground: true }),
    carriesWords: false, // its only text field is the command
    toResults({ text, isError }) {
      if (isError) {
        const value = { command: line, workingDirectory, error: text };
        return [withOutcome("backgroundShellSpawnResult", { case: "error", value })];
      }
      const pid = /\bpid\W{1,3}(\d{1,9})\b/i.exec(text)?.[1];
      const shellId = /\bid\W{1,3}(?:[a-z]+[_-]?)?(\d{1,9})\b/i.exec(text)?.[1] ?? pid;
      const success = {
        shellId: Number(shellId ?? 0),
        // This answer has no other text field, so the client's advice on how to follow the command goes below it as a comment.
        command: text === "" ? line : `${line}\n${text.replace(/^/gm, "# ")}`,
        workingDirectory,
        ...(pid !== undefined && { pid: Number(pid) }),
      };
      return [withOutcome("backgroundShellSpawnResult", { case: "success", value: success })];
    },
  };
}
