import { win32 } from "node:path";
import { type Service, type ServiceProgram, xmlText } from "./service.js";

const TASK = "Curlew";
const ASK_STATE = `(Get-ScheduledTask -TaskName ${TASK} -ErrorAction Stop).State`;

/** A task that starts with the user's session. It needs no administrator, and may use the user's credentials. */
export function windowsService(program: ServiceProgram, localFolder: string, user: string): Service {
  const folder = win32.join(localFolder, "curlew");
  const script = win32.join(folder, "service.cmd");
  const definition = win32.join(folder, "service.xml");
  const logFile = win32.join(folder, "curlew.log");
  const startFile = win32.join(folder, "curlew.start.log");
  const tasks = (...args: string[]) => ({ program: "schtasks.exe", args });
  const end = tasks("/End", "/TN", TASK);
  const endIfRunning = { ...end, mayFail: true as const };
  const run = tasks("/Run", "/TN", TASK);
  return {
    kind: "Windows task",
    files: [
      { path: script, text: startScript(program, logFile, startFile), encoding: "utf8" },
      // Windows itself writes such files with a byte order mark and in this encoding.
      { path: definition, text: `\uFEFF${taskDefinition(script, user)}`, encoding: "utf16le" },
    ],
    links: [],
    install: [endIfRunning, tasks("/Create", "/TN", TASK, "/XML", definition, "/F"), run],
    start: [run],
    stop: [end],
    restart: [endIfRunning, run],
    uninstall: [endIfRunning, tasks("/Delete", "/TN", TASK, "/F")],
    forget: [],
    // The output of schtasks is in the language of the system.
    query: { program: "powershell.exe", args: ["-NoProfile", "-NonInteractive", "-Command", ASK_STATE] },
    readState({ exitCode, stdout }) {
      const detail = exitCode === 0 ? stdout.trim() : "not known to the task scheduler";
      return { isRunning: exitCode === 0 && detail === "Running", pid: null, detail };
    },
    log: { kind: "files", path: logFile, startPath: startFile },
    note: `It runs while you are logged in, and logs to ${logFile}.`,
  };
}

/** Tasks have neither an environment nor a log of their own. Other output is kept for this start and the previous one. */
function startScript(program: ServiceProgram, logFile: string, startFile: string): string {
  const { node, main, args, environment } = program;
  const quoted = (word: string) => `"${literal(word)}"`;
  const command = [node, main, ...args, "--log-file", logFile].map(quoted).join(" ");
  return [
    "@echo off",
    "chcp 65001 >nul",
    ...Object.entries(environment).map(([name, value]) => `set "${name}=${literal(value)}"`),
    `move /y ${quoted(startFile)} ${quoted(`${startFile}.1`)} >nul 2>&1`,
    `${command} >${quoted(startFile)} 2>&1`,
    "",
  ].join("\r\n");
}

/** Between quotes, a script expands only text in percent signs; a quote would end them. */
function literal(text: string): string {
  return text.replaceAll("%", "%%").replaceAll('"', "");
}

/** conhost hides the window that a console program would otherwise get. */
function taskDefinition(script: string, user: string): string {
  return [
    '<?xml version="1.0" encoding="UTF-16"?>',
    '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
    "  <Triggers>",
    `    <LogonTrigger><UserId>${xmlText(user)}</UserId></LogonTrigger>`,
    "  </Triggers>",
    "  <Principals>",
    '    <Principal id="Owner">',
    `      <UserId>${xmlText(user)}</UserId>`,
    "      <LogonType>InteractiveToken</LogonType>",
    "      <RunLevel>LeastPrivilege</RunLevel>",
    "    </Principal>",
    "  </Principals>",
    "  <Settings>",
    "    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>",
    "    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>",
    "    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>",
    "    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>",
    "    <RestartOnFailure><Interval>PT1M</Interval><Count>10</Count></RestartOnFailure>",
    "  </Settings>",
    '  <Actions Context="Owner">',
    "    <Exec>",
    "      <Command>conhost.exe</Command>",
    `      <Arguments>--headless cmd.exe /d /c "${xmlText(script)}"</Arguments>`,
    "    </Exec>",
    "  </Actions>",
    "</Task>",
    "",
  ].join("\r\n");
}
