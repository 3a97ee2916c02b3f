import { join } from "node:path";
import { type Service, type ServiceProgram, type SystemCommand, xmlText } from "./service.js";

const LABEL = "curlew.gateway";

/** An agent of the logged-in user, as macOS calls a service that may use the user's keychain. */
export function launchdService(program: ServiceProgram, homeDirectory: string, userId: number): Service {
  const path = join(homeDirectory, "Library", "LaunchAgents", `${LABEL}.plist`);
  const logFile = join(homeDirectory, "Library", "Logs", "curlew.log");
  const startFile = join(homeDirectory, "Library", "Logs", "curlew.start.log");
  const domain = `gui/${userId}`;
  const launchctl = (...args: string[]) => ({ program: "launchctl", args });
  const bootOut = launchctl("bootout", `${domain}/${LABEL}`);
  const bootstrap = launchctl("bootstrap", domain, path);
  const enable = launchctl("enable", `${domain}/${LABEL}`);
  /** It may be loaded already, or not loaded at all. */
  const ifNeeded = (command: SystemCommand) => ({ ...command, mayFail: true as const });
  const load = [ifNeeded(bootOut), enable, bootstrap];
  return {
    kind: "launchd agent",
    files: [{ path, text: propertyList(program, logFile, startFile), encoding: "utf8" }],
    links: [],
    install: load,
    start: [enable, ifNeeded(bootstrap), launchctl("kickstart", `${domain}/${LABEL}`)],
    stop: [bootOut],
    restart: load,
    uninstall: [ifNeeded(bootOut)],
    forget: [],
    query: launchctl("print", `${domain}/${LABEL}`),
    readState({ exitCode, stdout }) {
      if (exitCode !== 0) return { isRunning: false, pid: null, detail: "not loaded" };
      const state = /^[ \t]*state = (.+)$/m.exec(stdout)?.[1] ?? "unknown";
      const pid = /^[ \t]*pid = (\d+)$/m.exec(stdout)?.[1];
      const exit = /^[ \t]*last exit code = (\d+)/m.exec(stdout)?.[1] ?? "0";
      return {
        isRunning: state === "running",
        pid: pid === undefined ? null : Number(pid),
        detail: exit === "0" ? state : `${state}, last exit code ${exit}`,
      };
    },
    log: { kind: "files", path: logFile, startPath: startFile },
    note: `It runs while you are logged in, and logs to ${logFile}.`,
  };
}

/** launchd would append output to a file forever, so a shell keeps that of this start and the previous one. */
const START = 'mv -f "$0" "$0.1" 2>/dev/null; exec "$@" >"$0" 2>&1';

function propertyList(service: ServiceProgram, logFile: string, startFile: string): string {
  const { node, main, args, environment } = service;
  const program = ["/bin/sh", "-c", START, startFile, node, main, ...args, "--log-file", logFile];
  const words = program.map((word) => `    ${string(word)}`);
  const variables = Object.entries(environment).map(([name, value]) => `    ${key(name)}${string(value)}`);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    "<dict>",
    `  ${key("Label")}${string(LABEL)}`,
    `  ${key("ProgramArguments")}`,
    "  <array>",
    ...words,
    "  </array>",
    `  ${key("EnvironmentVariables")}`,
    "  <dict>",
    ...variables,
    "  </dict>",
    `  ${key("RunAtLoad")}<true/>`,
    `  ${key("KeepAlive")}<dict>${key("SuccessfulExit")}<false/></dict>`,
    `  ${key("ThrottleInterval")}<integer>10</integer>`,
    `  ${key("Umask")}<integer>${0o077}</integer>`,
    "</dict>",
    "</plist>",
    "",
  ].join("\n");
}

function key(name: string): string {
  return `<key>${xmlText(name)}</key>`;
}

function string(value: string): string {
  return `<string>${xmlText(value)}</string>`;
}
