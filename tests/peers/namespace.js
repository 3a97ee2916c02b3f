// A network of its own for one process tree (Linux): Cursor's names lead to this machine, no other machine can be reached, and
// nothing is left of it once the tree has ended.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "node:tls";

/** The host that the simulator advises for runs. No client has it built in. */
export const AGENT_HOST = "agent.us.api5.cursor.sh";
/** The others are built in. */
const NAMES = [
  AGENT_HOST,
  "cursor.com",
  "www.cursor.com",
  "api2.cursor.sh",
  "agent.api5.cursor.sh",
  "agentn.api5.cursor.sh",
  "agentn.global.api5.cursor.sh",
];
const MAX_MS = 300_000;

const unshareFlags = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
// Anyone but root needs a user namespace for it.
if (process.getuid?.() !== 0) unshareFlags.push("--map-root-user");

/** The reason why there is no such network on this machine, or undefined. */
export function namespaceFault() {
  const needed = [
    ["openssl", ["version"]],
    ["unshare", [...unshareFlags, "ip", "link", "set", "lo", "up"]],
  ];
  for (const [program, args] of needed) {
    const { status, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
    if (status !== 0) return `${program} ${args.join(" ")}: ${error?.message ?? stderr.trim()}`;
  }
  return undefined;
}

/** Runs a script of ours there, and resolves with its exit code. It gets `--certificate` with the folder for `furnish`. */
export async function runInNamespace(script, args) {
  const folder = mkdtempSync(join(tmpdir(), "curlew-namespace-"));
  try {
    const certificate = makeCertificate(folder);
    const command = [process.execPath, script, ...args, "--certificate", folder];
    const child = spawn("unshare", [...unshareFlags, ...command], {
      // The script ends when its standard input does, so it never outlives us.
      stdio: ["pipe", "inherit", "inherit"],
      env: { ...process.env, NODE_EXTRA_CA_CERTS: certificate },
      timeout: MAX_MS,
      killSignal: "SIGKILL",
    });
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => child.kill("SIGKILL"));
    const [code, signal] = await once(child, "exit");
    if (signal !== null) console.log(`Ended by ${signal}; all clients together have ${MAX_MS / 1_000} s.`);
    return code ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeCertificate(folder) {
  const certificate = join(folder, "certificate.pem");
  const names = NAMES.map((name) => `DNS:${name}`).join(",");
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const files = ["-keyout", join(folder, "key.pem"), "-out", certificate];
  const subject = ["-subj", "/CN=cursor.sh", "-addext", `subjectAltName=${names}`];
  execFileSync("openssl", ["req", ...kind, ...files, ...subject], { stdio: "ignore" });
  return certificate;
}

/** Called once inside: brings up loopback and gives Cursor's names to it. Returns what the clients need in their environment. */
export function furnish(folder) {
  process.stdin
    .on("end", () => process.exit(1))
    .resume()
    .unref();
  execFileSync("ip", ["link", "set", "lo", "up"]);
  const hosts = join(folder, "hosts");
  writeFileSync(hosts, `127.0.0.1 localhost ${NAMES.join(" ")}\n`);
  execFileSync("mount", ["--bind", hosts, "/etc/hosts"]);
  assert.deepEqual(Object.keys(networkInterfaces()), ["lo"]);
  return { NODE_EXTRA_CA_CERTS: join(folder, "certificate.pem") };
}

/** Answers for all of Cursor's hosts, over TLS, with the server at `url`. `hosts` are those that were asked for. */
export async function startFront(folder, url) {
  const cert = readFileSync(join(folder, "certificate.pem"));
  const key = readFileSync(join(folder, "key.pem"));
  const near = new Set();
  const hosts = new Set();
  const server = createServer({ cert, key, ALPNProtocols: ["h2", "http/1.1"] }, (socket) => {
    const far = connect(Number(new URL(url).port), "127.0.0.1");
    for (const end of [socket, far]) end.on("error", () => {});
    socket.pipe(far).pipe(socket);
    hosts.add(socket.servername);
    near.add(socket.once("close", () => far.destroy()));
  });
  server.on("tlsClientError", () => {});
  await once(server.listen(443, "127.0.0.1"), "listening");
  return {
    hosts: () => [...hosts].sort(),
    async stop() {
      for (const socket of near) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
