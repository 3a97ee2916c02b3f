import { join } from "node:path";
import { parseEnv } from "node:util";
import type { Service, ServiceProgram } from "./service.js";

const UNIT = "curlew.service";

/** A unit of the user's own systemd, which needs no rights beyond the user's. */
export function systemdService(program: ServiceProgram, configHome: string): Service {
  const folder = join(configHome, "systemd", "user");
  const systemctl = (...args: string[]) => ({ program: "systemctl", args: ["--user", ...args] });
  return {
    kind: "systemd user service",
    files: [{ path: join(folder, UNIT), text: systemdUnit(program), encoding: "utf8" }],
    links: [join(folder, "default.target.wants", UNIT)],
    install: [systemctl("daemon-reload"), systemctl("enable", UNIT), systemctl("restart", UNIT)],
    start: [systemctl("start", UNIT)],
    stop: [systemctl("stop", UNIT)],
    restart: [systemctl("restart", UNIT)],
    uninstall: [systemctl("stop", UNIT), { ...systemctl("disable", UNIT), mayFail: true }],
    forget: [systemctl("daemon-reload")],
    query: systemctl("show", UNIT, "--property=ActiveState,SubState,MainPID,ExecMainStatus"),
    readState({ stdout }) {
      const { ActiveState = "unknown", SubState = "unknown", MainPID, ExecMainStatus: exit = "0" } = parseEnv(stdout);
      const pid = Number(MainPID ?? 0);
      return {
        isRunning: ActiveState === "active",
        pid: pid > 0 ? pid : null,
        detail: `${ActiveState} (${SubState})${exit === "0" ? "" : ` last exit code ${exit}`}`,
      };
    },
    log: {
      kind: "journal",
      show: (lines, follow, isBare) => ({
        program: "journalctl",
        args: [
          "--user",
          `--unit=${UNIT}`,
          `--lines=${lines}`,
          ...(isBare ? ["--output=cat"] : []),
          ...(follow ? ["--follow"] : ["--no-pager"]),
        ],
      }),
    },
    note: "It runs while you are logged in. To start it at boot and keep it after logout: loginctl enable-linger",
  };
}

/** Exit code 2 means a wrong setting, which no restart can fix. */
function systemdUnit({ node, main, args, environment }: ServiceProgram): string {
  return [
    "[Unit]",
    "Description=Curlew, a gateway to the models of a Cursor subscription",
    "",
    "[Service]",
    `ExecStart=${[node, main, ...args].map((word) => quoted(word).replaceAll("$", "$$$$")).join(" ")}`,
    ...Object.entries(environment).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    "Restart=on-failure",
    "RestartSec=5",
    "RestartPreventExitStatus=2",
    "NoNewPrivileges=yes",
    "UMask=0077",
    "",
    "[Install]",
    "WantedBy=default.target",
    "",
  ].join("\n");
}

/** Quotes one word with any content: systemd unquotes like C, and expands what begins with a percent sign. */
function quoted(word: string): string {
  const escaped = word.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n").replaceAll("%", "%%");
  return `"${escaped}"`;
}
