import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../testing/temporary-folder.js";
import { launchdService } from "./launchd.js";
import { serviceFor } from "./service-for.js";
import { systemdService } from "./systemd.js";
import { windowsService } from "./windows-task.js";

const program = {
  node: "/opt/node 20/bin/node",
  main: "/opt/100%/$HOME/main.js",
  args: ["serve", "--port", "4000"],
  environment: { PATH: "/usr/bin:/bin", CURLEW_MODEL_ALIASES: 'a="b"&c<d>\\e%$f' },
};
const failed = { exitCode: 1, stdout: "", stderr: "no" };
const lines = (commands: readonly { readonly args: readonly string[] }[]) => commands.map(({ args }) => args.join(" "));
const printed = (stdout: string) => ({ exitCode: 0, stdout, stderr: "" });

describe("a systemd user service", () => {
  const service = systemdService(program, "/home/ada/.config");

  it("is a unit in the user's own folder, with everything quoted as systemd reads it", () => {
    expect(service.files).toEqual([
      {
        path: "/home/ada/.config/systemd/user/curlew.service",
        encoding: "utf8",
        text: String.raw`[Unit]
Description=Curlew, a gateway to the models of a Cursor subscription

[Service]
ExecStart="/opt/node 20/bin/node" "/opt/100%%/$$HOME/main.js" "serve" "--port" "4000"
Environment="PATH=/usr/bin:/bin"
Environment="CURLEW_MODEL_ALIASES=a=\"b\"&c<d>\\e%%$f"
Restart=on-failure
RestartSec=5
RestartPreventExitStatus=2
NoNewPrivileges=yes
UMask=0077

[Install]
WantedBy=default.target
`,
      },
    ]);
  });

  it.each([
    ["active", "running", 412, 0, { isRunning: true, pid: 412, detail: "active (running)" }],
    ["failed", "failed", 0, 2, { isRunning: false, pid: null, detail: "failed (failed) last exit code 2" }],
    ["activating", "auto-restart", 0, 1, { isRunning: false, detail: "activating (auto-restart) last exit code 1" }],
  ])("that is %s (%s) is reported", (active, sub, pid, exit, state) => {
    const stdout = `MainPID=${pid}\nExecMainStatus=${exit}\nActiveState=${active}\nSubState=${sub}\n`;
    expect(service.readState(printed(stdout))).toMatchObject(state);
  });

  it("has its log in the journal", () => {
    const journal = service.log.kind === "journal" ? service.log : undefined;
    expect(journal?.show(5, true, false)).toEqual({
      program: "journalctl",
      args: ["--user", "--unit=curlew.service", "--lines=5", "--follow"],
    });
    expect(journal?.show(5, false, true).args).toEqual(expect.arrayContaining(["--output=cat", "--no-pager"]));
  });
});

describe("a launchd agent", () => {
  const service = launchdService(program, "/Users/ada", 501);

  it("is a property list with everything escaped", () => {
    expect(service.files).toEqual([
      {
        path: "/Users/ada/Library/LaunchAgents/curlew.gateway.plist",
        encoding: "utf8",
        text: String.raw`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>curlew.gateway</string>
  <key>ProgramArguments</key>
  <array>
    <string>/bin/sh</string>
    <string>-c</string>
    <string>mv -f "$0" "$0.1" 2&gt;/dev/null; exec "$@" &gt;"$0" 2&gt;&amp;1</string>
    <string>/Users/ada/Library/Logs/curlew.start.log</string>
    <string>/opt/node 20/bin/node</string>
    <string>/opt/100%/$HOME/main.js</string>
    <string>serve</string>
    <string>--port</string>
    <string>4000</string>
    <string>--log-file</string>
    <string>/Users/ada/Library/Logs/curlew.log</string>
  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>PATH</key><string>/usr/bin:/bin</string>
    <key>CURLEW_MODEL_ALIASES</key><string>a="b"&amp;c&lt;d&gt;\e%$f</string>
  </dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>ThrottleInterval</key><integer>10</integer>
  <key>Umask</key><integer>63</integer>
</dict>
</plist>
`,
      },
    ]);
  });

  it("is reloaded when its file has changed", () => {
    const fresh = [
      "bootout gui/501/curlew.gateway",
      "enable gui/501/curlew.gateway",
      "bootstrap gui/501 /Users/ada/Library/LaunchAgents/curlew.gateway.plist",
    ];
    expect(lines(service.install)).toEqual(fresh);
    expect(lines(service.restart)).toEqual(fresh);
  });

  it("is loaded and run, whether it was loaded or not, and unloaded to stop", () => {
    expect(lines(service.start)).toEqual([
      "enable gui/501/curlew.gateway",
      "bootstrap gui/501 /Users/ada/Library/LaunchAgents/curlew.gateway.plist",
      "kickstart gui/501/curlew.gateway",
    ]);
    expect(service.start.map(({ mayFail }) => mayFail === true)).toEqual([false, true, false]);
    expect(lines(service.stop)).toEqual(["bootout gui/501/curlew.gateway"]);
  });

  it.runIf(process.platform !== "win32")("keeps the output outside its log for two starts", () => {
    const folder = temporaryFolder();
    const start = (text: string) => {
      const printing = { node: "/bin/sh", main: "-c", args: [`echo '${text}' >&2`], environment: {} };
      const [file] = launchdService(printing, folder, 1).files;
      const words = [...(file?.text ?? "").matchAll(/^ {4}<string>(.*)<\/string>$/gm)].map(([, word = ""]) =>
        word.replaceAll("&gt;", ">").replaceAll("&amp;", "&"),
      );
      execFileSync(words[0] ?? "", words.slice(1));
    };
    mkdirSync(join(folder, "Library", "Logs"), { recursive: true });
    for (const text of ["one", "two", "three"]) start(text);
    const read = (name: string) => readFileSync(join(folder, "Library", "Logs", name), "utf8");
    expect([read("curlew.start.log"), read("curlew.start.log.1")]).toEqual(["three\n", "two\n"]);
  });

  it("tells whether it runs", () => {
    const stdout = "curlew.gateway = {\n\tstate = running\n\n\tpid = 77\n\tlast exit code = 1\n}\n";
    expect(service.readState(printed(stdout))).toEqual({
      isRunning: true,
      pid: 77,
      detail: "running, last exit code 1",
    });
    expect(service.readState(failed)).toEqual({ isRunning: false, pid: null, detail: "not loaded" });
  });

  it("has its log in a file", () => {
    expect(service.log).toMatchObject({ kind: "files", path: "/Users/ada/Library/Logs/curlew.log" });
  });
});

describe("a Windows task", () => {
  const service = windowsService(
    { ...program, node: "C:\\Program Files\\node.exe" },
    "C:\\Users\\ada\\Local",
    "HOME\\ada",
  );
  const [script, definition] = service.files;

  it("starts a script that sets the environment and keeps the log", () => {
    expect(script).toEqual({
      path: "C:\\Users\\ada\\Local\\curlew\\service.cmd",
      encoding: "utf8",
      text: [
        "@echo off",
        "chcp 65001 >nul",
        'set "PATH=/usr/bin:/bin"',
        'set "CURLEW_MODEL_ALIASES=a=b&c<d>\\e%%$f"',
        'move /y "C:\\Users\\ada\\Local\\curlew\\curlew.start.log" "C:\\Users\\ada\\Local\\curlew\\curlew.start.log.1" >nul 2>&1',
        '"C:\\Program Files\\node.exe" "/opt/100%%/$HOME/main.js" "serve" "--port" "4000" "--log-file" "C:\\Users\\ada\\Local\\curlew\\curlew.log" >"C:\\Users\\ada\\Local\\curlew\\curlew.start.log" 2>&1',
        "",
      ].join("\r\n"),
    });
  });

  it("is defined only for its owner, in the encoding of Windows, without a window", () => {
    expect(definition).toMatchObject({ path: "C:\\Users\\ada\\Local\\curlew\\service.xml", encoding: "utf16le" });
    expect(definition?.text.startsWith('\uFEFF<?xml version="1.0" encoding="UTF-16"?>\r\n')).toBe(true);
    expect(definition?.text).toContain("<LogonTrigger><UserId>HOME\\ada</UserId></LogonTrigger>");
    expect(definition?.text).toContain(
      '<Arguments>--headless cmd.exe /d /c "C:\\Users\\ada\\Local\\curlew\\service.cmd"</Arguments>',
    );
  });

  it("is replaced and run, and deleted at the end", () => {
    expect(lines(service.install)).toEqual([
      "/End /TN Curlew",
      "/Create /TN Curlew /XML C:\\Users\\ada\\Local\\curlew\\service.xml /F",
      "/Run /TN Curlew",
    ]);
    expect(lines(service.uninstall)).toEqual(["/End /TN Curlew", "/Delete /TN Curlew /F"]);
    expect(lines(service.start)).toEqual(["/Run /TN Curlew"]);
    expect(lines(service.stop)).toEqual(["/End /TN Curlew"]);
    expect(lines(service.restart)).toEqual(["/End /TN Curlew", "/Run /TN Curlew"]);
  });

  it("tells whether it runs", () => {
    expect(service.readState(printed("Running\r\n"))).toEqual({ isRunning: true, pid: null, detail: "Running" });
    expect(service.readState(printed("Ready\r\n"))).toMatchObject({ isRunning: false, detail: "Ready" });
    expect(service.readState(failed)).toMatchObject({ isRunning: false, detail: "not known to the task scheduler" });
  });
});

describe("the service of a machine", () => {
  const machine = { env: { USERNAME: "ada" }, homeDirectory: "/home/ada", userId: 1 };

  it.each([
    ["linux", "systemd user service"],
    ["darwin", "launchd agent"],
    ["win32", "Windows task"],
  ] as const)("on %s is a %s", (platform, kind) => {
    expect(serviceFor(program, { ...machine, platform }).kind).toBe(kind);
  });

  it("is stored in the user's settings folder", () => {
    const of = (env: object) => serviceFor(program, { ...machine, platform: "linux", env: { ...env } }).files[0]?.path;
    expect(of({})).toBe("/home/ada/.config/systemd/user/curlew.service");
    expect(of({ XDG_CONFIG_HOME: "/etc/ada" })).toBe("/etc/ada/systemd/user/curlew.service");
  });

  it("is refused on an unsupported system, with what to do instead", () => {
    expect(() => serviceFor(program, { ...machine, platform: "freebsd" })).toThrow(/freebsd.*curlew serve/);
  });
});
