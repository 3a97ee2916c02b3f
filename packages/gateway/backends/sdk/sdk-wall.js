// Closes the machine to the SDK, which does whatever Cursor's server asks for. Node's functions are replaced before the SDK is loaded, and
// fail as if the system denied access. Node's permission model, around the process, refuses what is missing here.
import { AsyncLocalStorage } from "node:async_hooks";
import childProcess from "node:child_process";
import dgram from "node:dgram";
import fs from "node:fs";
import http2 from "node:http2";
import module from "node:module";
import net from "node:net";
import { basename, dirname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import workers from "node:worker_threads";

/** The functions of `fs` with paths, by their access: read, write, by flags, or forbidden, because links lead out and patterns anywhere. */
const pathFunctions = {
  r: "access exists stat lstat statfs readdir opendir readlink realpath openAsBlob watch watchFile",
  f: "open readFile",
  w: "writeFile appendFile mkdir mkdtemp mkdtempDisposable rm rmdir unlink truncate chmod lchmod chown lchown utimes lutimes",
  rw: "copyFile",
  ww: "rename",
  x: "link symlink cp glob",
};
/** Other functions that start or load something, or open a file or a port. */
const forbidden = [
  [process, "binding _linkedBinding _debugProcess _kill dlopen chdir execve loadEnvFile"],
  [childProcess, "spawnSync execSync execFileSync"],
  [childProcess.ChildProcess.prototype, "spawn"],
  [workers, "Worker"],
  [process.getBuiltinModule("node:sqlite") ?? {}, "DatabaseSync backup"],
  [net.Server.prototype, "listen"],
  [dgram.Socket.prototype, "bind connect send"],
];
const CURSOR_HOST = /(^|\.)cursor\.(sh|com)$/i;
const realpath = fs.realpathSync.native;
const turns = new AsyncLocalStorage();
const running = new Set();

/** `readable` and `writable` are real paths of folders. `hosts` can be reached besides Cursor's. */
export function raiseWall({ readable, writable, hosts }) {
  // The permission model refuses to flush files.
  Object.assign(fs, { fsync: (_, done) => process.nextTick(done, null), fsyncSync() {} });
  guardFiles(readable, writable);
  guardSockets(hosts);
  for (const [owner, names] of forbidden) {
    for (const name of names.split(" ")) owner[name] = () => fail(`${name}Sync`);
  }
  module.syncBuiltinESMExports();
}

/** Runs a turn, which can use the folder of its conversation. The SDK would keep its connections for a quarter of an hour. */
export async function runTurn(folder, act) {
  const turn = { folder: realpath(folder), sessions: new Set() };
  running.add(turn);
  await turns.run(turn, act);
  running.delete(turn);
  // A request that another turn has just begun on the same connection would be refused.
  const others = [...running];
  for (const session of turn.sessions) if (!others.some(({ sessions }) => sessions.has(session))) session.close();
}

function guardFiles(readable, writable) {
  const isOpen = (path, use) => {
    const folders = [turns.getStore()?.folder ?? [], use === "r" ? readable : writable].flat();
    const real = realPath(resolve(path));
    return use !== "x" && folders.some((folder) => real === folder || real.startsWith(folder + sep));
  };
  const guard = (owner, name, uses) => {
    const original = owner[name];
    owner[name] = (...args) => {
      const flags = name.startsWith("open") ? args[1] : args[1]?.flag;
      const byFlags =
        typeof flags === "function" || [undefined, "r", fs.constants.O_RDONLY].includes(flags) ? "r" : "w";
      for (const [at, use] of [...uses].entries()) {
        const path = pathOf(args[at]);
        if (path !== undefined && !isOpen(path, use === "f" ? byFlags : use)) return fail(name, path, args.at(-1));
      }
      return original.apply(owner, args);
    };
  };
  // Their other, non-native forms look at all folders above.
  Object.assign(fs, { realpath: fs.realpath.native, realpathSync: realpath });
  for (const [uses, names] of Object.entries(pathFunctions)) {
    for (const name of names.split(" ").flatMap((each) => [each, `${each}Sync`])) {
      for (const owner of [fs, fs.promises]) if (owner[name] !== undefined) guard(owner, name, uses);
    }
  }
  for (const each of [fs.realpath, fs.realpathSync]) each.native = each;
}

function guardSockets(hosts) {
  const { connect } = net.Socket.prototype;
  net.Socket.prototype.connect = function (...args) {
    const [first, second] = Array.isArray(args[0]) ? args[0] : args;
    const { path, host = "localhost", port } = typeof first === "object" ? first : { port: first, host: second };
    const isCursor = CURSOR_HOST.test(host) && Number(port) === 443;
    if (!path && (isCursor || hosts.includes(`${host}:${port}`))) return connect.apply(this, args);
    return this.destroy(denied("connect", path || `${host}:${port}`));
  };
  const { connect: openSession } = http2;
  http2.connect = (...args) => {
    const session = openSession(...args);
    const { request } = session;
    const use = () => turns.getStore()?.sessions.add(session);
    use();
    session.request = (...headers) => {
      use();
      return request.apply(session, headers);
    };
    return session;
  };
}

/** Undefined for an open file. */
function pathOf(value) {
  if (value instanceof URL) return fileURLToPath(value);
  return typeof value === "string" || value instanceof Uint8Array ? String(Buffer.from(value)) : undefined;
}

/** Resolves links, also those above a file that does not exist yet. */
function realPath(path) {
  try {
    return realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}

function fail(name, path, done) {
  if (name === "existsSync") return false;
  const error = denied(name, path);
  if (/Sync$|^watch|^glob$/.test(name)) throw error;
  return typeof done === "function" ? process.nextTick(done, name === "exists" ? false : error) : Promise.reject(error);
}

function denied(syscall, path = "") {
  return Object.assign(new Error(`EACCES: permission denied, ${syscall} ${path}`), { code: "EACCES", syscall, path });
}
