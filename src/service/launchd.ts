import { join } from "node:path";
import type { Service, ServiceProgram } from "./service.js";
import { xmlText } from "./xml-text.js";

const LABEL = "curlew.gateway";

interface LaunchdContext {
  readonly homeDirectory: string;
  readonly userId: number;
}

/** An agent of the logged-in user, as macOS calls a service that may use the user's keychain. */
export function launchdService(program: ServiceProgram, { homeDirectory, userId }: LaunchdContext): Service {
  const path = join(homeDirectory, "Library", "LaunchAgents", `${LABEL}.plist`);
  const logFile = join(homeDirectory, "Library", "Logs", "curlew.log");
  const domain = `gui/${userId}`;
  const launchctl = (...args: string[]) => ({ program: "launchctl", args });
  const bootOut = { ...launchctl("bootout", `${domain}/${LABEL}`), mayFail: true as const };
  return {
    kind: "launchd agent",
    files: [{ path, text: propertyList(program, logFile), encoding: "utf8" }],
    start: [bootOut, launchctl("enable", `${domain}/${LABEL}`), launchctl("bootstrap", domain, path)],
    stop: [bootOut],
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
    logs: ({ lines, follow }) => ({
      program: "tail",
      args: ["-n", String(lines), ...(follow ? ["-F"] : []), logFile],
    }),
    note: `It runs while you are logged in, and logs to ${logFile}.`,
  };
}

function propertyList({ node, main, args, environment }: ServiceProgram, logFile: string): string {
  const words = [node, main, ...args].map((word) => `    ${string(word)}`);
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
    `  ${key("StandardOutPath")}${string(logFile)}`,
    `  ${key("StandardErrorPath")}${string(logFile)}`,
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
