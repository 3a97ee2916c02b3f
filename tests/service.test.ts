import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { emptyMachine, mainFile, runCurlew, spawnCurlew } from "../testing/programs/curlew-process.js";

/** A fake systemd that records its commands and keeps the state of the service. */
const systemctl = `#!/bin/sh
echo "$(basename "$0") $*" >> "$HOME/calls"
case "$*" in
  *" $FAILING "*) echo "Failed to connect to bus" >&2; exit 1;;
  *" start "*|*" restart "*) touch "$HOME/running";;
  *" stop "*) rm -f "$HOME/running";;
  *" show "*) [ -e "$HOME/running" ] && printf 'MainPID=412\\nExecMainStatus=0\\nActiveState=active\\nSubState=running\\n' \\
    || printf 'MainPID=0\\nExecMainStatus=0\\nActiveState=inactive\\nSubState=dead\\n';;
  *--unit=*) echo "the log";;
esac
`;

function machineWithSystemd(more: Record<string, string> = {}) {
  const env = emptyMachine();
  const home = env.HOME ?? "";
  const bin = join(home, "bin");
  mkdirSync(bin);
  for (const name of ["systemctl", "journalctl"]) {
    writeFileSync(join(bin, name), systemctl);
    chmodSync(join(bin, name), 0o755);
  }
  const all = { ...env, CURLEW_BACKEND: "simulator", ...more, PATH: `${bin}${delimiter}${env.PATH}` };
  const calls = join(home, "calls");
  return {
    unit: join(home, ".config", "systemd", "user", "curlew.service"),
    link: join(home, ".config", "systemd", "user", "default.target.wants", "curlew.service"),
    service: (...args: string[]) => runCurlew(["service", ...args], { env: all }),
    started: (...args: string[]) => spawnCurlew(["service", ...args], { env: all }).finished,
    calls: () => (existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n") : []),
  };
}

const fresh = ["daemon-reload", "enable curlew.service", "restart curlew.service"].map(
  (words) => `systemctl --user ${words}`,
);
const query = "systemctl --user show curlew.service --property=ActiveState,SubState,MainPID,ExecMainStatus";

describe.runIf(process.platform === "linux")("curlew service on a machine with systemd", () => {
  it("installs and starts a unit that runs this Curlew with the current settings", async () => {
    const machine = machineWithSystemd({ CURLEW_LOG_LEVEL: "warn" });
    const { code, stdout } = await machine.service("install", "--port", "4000");
    expect({ code, calls: machine.calls() }).toEqual({ code: 0, calls: fresh });
    expect(stdout).toContain("Curlew now runs as a systemd user service.");
    expect(stdout.trimEnd().split("\n").at(-1)).toMatch(/^Next: curlew setup /);
    const unit = readFileSync(machine.unit, "utf8");
    expect(unit).toContain(`ExecStart="${process.execPath}" "${mainFile}" "serve" "--port" "4000"\n`);
    expect(unit).toContain('Environment="CURLEW_LOG_LEVEL=warn"\n');
    expect(statSync(machine.unit).mode & 0o777).toBe(0o600);
  });

  it("is idempotent, and restarts the service with new settings", async () => {
    const machine = machineWithSystemd();
    await machine.service("install");
    const again = await machine.service("install");
    expect(again.stdout).toContain("already runs");
    expect(machine.calls()).toEqual([...fresh, query]);
    await machine.service("install", "--port", "4001");
    expect(machine.calls()).toEqual([...fresh, query, ...fresh]);
  });

  it("shows its state and its log", async () => {
    const machine = machineWithSystemd();
    expect(await machine.service("status")).toMatchObject({
      code: 1,
      stdout: "systemd user service: not installed. Run: curlew service install\n",
    });
    await machine.service("install");
    const { code, stdout } = await machine.service("status", "--json");
    expect({ code, ...JSON.parse(stdout) }).toEqual({
      code: 0,
      kind: "systemd user service",
      isInstalled: true,
      isRunning: true,
      pid: 412,
      detail: "active (running)",
      files: [machine.unit],
    });
    // Started, because journalctl writes to its output.
    expect(await machine.started("logs", "--lines", "7")).toMatchObject({ code: 0, stdout: "the log\n" });
    expect(machine.calls().at(-1)).toBe("journalctl --user --unit=curlew.service --lines=7 --no-pager");
  });

  it("uninstalls it, idempotently", async () => {
    const machine = machineWithSystemd();
    await machine.service("install");
    expect(await machine.service("uninstall")).toMatchObject({
      code: 0,
      stdout: "The service is stopped and removed.\n",
    });
    expect(machine.calls().slice(3)).toEqual([
      "systemctl --user stop curlew.service",
      "systemctl --user disable curlew.service",
      "systemctl --user daemon-reload",
    ]);
    expect(existsSync(machine.unit)).toBe(false);
    expect(await machine.service("uninstall")).toMatchObject({
      code: 0,
      stdout: "Curlew is not installed as a service.\n",
    });
    expect(await machine.service("logs")).toMatchObject({ code: 1 });
  });

  it("starts, stops and restarts it, with the next step", async () => {
    const machine = machineWithSystemd();
    for (const action of ["start", "stop", "restart"]) {
      expect(await machine.service(action)).toMatchObject({
        code: 1,
        stderr: "curlew: Curlew is not installed as a service. Run: curlew service install\n",
      });
    }
    await machine.service("install");
    expect(await machine.service("stop")).toMatchObject({ code: 0, stdout: expect.stringContaining("is stopped") });
    expect(await machine.service("status")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("inactive (dead). Run: curlew service start"),
    });
    expect(await machine.service("start")).toMatchObject({ code: 0, stdout: expect.stringContaining("is started") });
    expect(await machine.service("status")).toMatchObject({ code: 0 });
    expect(await machine.service("restart")).toMatchObject({ code: 0, stdout: expect.stringContaining("restarted") });
    const actions = machine.calls().filter((call) => /--user (start|stop|restart) /.test(call));
    expect(actions).toEqual(
      ["restart", "stop", "start", "restart"].map((word) => `systemctl --user ${word} curlew.service`),
    );
  });

  it("removes the files when systemd does not answer, and lists the remaining commands", async () => {
    const machine = machineWithSystemd({ FAILING: "stop" });
    await machine.service("install");
    mkdirSync(dirname(machine.link), { recursive: true });
    symlinkSync(machine.unit, machine.link);
    const { code, stdout } = await machine.service("uninstall");
    expect(code).toBe(0);
    expect(stdout).toContain("The files of the service are removed");
    expect(stdout).toContain("  systemctl --user stop curlew.service: ended with 1: Failed to connect to bus\n");
    expect(stdout).toContain("run these commands yourself");
    expect([machine.unit, machine.link].map((path) => lstatSync(path, { throwIfNoEntry: false }))).toEqual([
      undefined,
      undefined,
    ]);
    expect(await machine.service("uninstall")).toMatchObject({ stdout: "Curlew is not installed as a service.\n" });
  });

  it("removes the files when systemd is gone", async () => {
    const machine = emptyMachine();
    const env = { ...machine, PATH: "/nowhere" };
    const unit = join(machine.HOME ?? "", ".config", "systemd", "user", "curlew.service");
    mkdirSync(dirname(unit), { recursive: true });
    writeFileSync(unit, "[Unit]\n");
    const { code, stdout } = await runCurlew(["service", "uninstall"], { env });
    expect({ code, isThere: existsSync(unit) }).toEqual({ code: 0, isThere: false });
    expect(stdout).toContain("systemctl cannot be started on this machine");
  });

  it("only shows what it would do with --dry-run", async () => {
    const machine = machineWithSystemd();
    const { code, stdout } = await machine.service("install", "--dry-run");
    expect({ code, calls: machine.calls(), isWritten: existsSync(machine.unit) }).toEqual({
      code: 0,
      calls: [],
      isWritten: false,
    });
    expect(stdout).toContain(`# ${machine.unit}\n[Unit]\n`);
    expect(stdout).toContain("systemctl --user restart curlew.service\n");
  });

  it("refuses a service that could not start, and keeps secrets out of the unit and the output", async () => {
    const secrets = { CURSOR_API_KEY: "crsr_secret_of_ada", CURLEW_KEY: "a-key-that-is-secret" };
    const machine = machineWithSystemd({ ...secrets, CURLEW_BACKEND: "agent" });
    const refused = await machine.service("install");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("No Cursor credential was found.");
    expect(refused.stderr).toContain("CURSOR_API_KEY is set here but not given to the service");
    expect(await machine.service("install", "--backend", "simulator", "--host", "0.0.0.0")).toMatchObject({ code: 2 });
    expect(machine.calls()).toEqual([]);
    const { code, stdout } = await machine.service("install", "--backend", "simulator");
    expect(code).toBe(0);
    expect(readFileSync(machine.unit, "utf8") + stdout).not.toMatch(/crsr_secret|that-is-secret/);
  });

  it("reports the error of a failed command, and retries from there", async () => {
    const machine = machineWithSystemd({ FAILING: "enable" });
    const { code, stderr } = await machine.service("install");
    expect(code).toBe(1);
    expect(stderr).toContain("systemctl --user enable curlew.service ended with 1: Failed to connect to bus");
    expect(await machine.service("install")).toMatchObject({ code: 1 });
    expect(machine.calls()).toEqual([...fresh.slice(0, 2), query, ...fresh.slice(0, 2)]);
  });
});
