// Tries what Cursor's SDK must not be able to do, with Node's own functions, and sends each outcome: an error code, or "done".
import childProcess from "node:child_process";
import dgram from "node:dgram";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";

const [folder, url, wall] = process.argv.slice(2);
if (wall !== undefined) (await import(wall)).raiseWall({ readable: [], writable: [], hosts: [] });

const notes = join(folder, "notes");
const made = join(folder, "made");
const port = Number(new URL(url).port);
const builtin = (name) => process.getBuiltinModule(name);

/** The functions of `fs` that take no path. `exists` is tried separately. */
const WITHOUT_PATH =
  /^(f(chmod|chown|datasync|stat|sync|truncate)|futimes|close|readv?|writev?|unwatchFile|exists|create\w+Stream)(Sync)?$/;
const furtherArguments = {
  ...{ writeFile: ["x"], appendFile: ["x"], chmod: [0o600], lchmod: [0o600], chown: [0, 0], lchown: [0, 0] },
  ...{ utimes: [0, 0], lutimes: [0, 0], copyFile: [made], rename: [made], link: [made], symlink: [made], cp: [made] },
};

const acts = {
  "a path with a link": () => fs.readFileSync(join(folder, "work", "link", "notes")),
  "a path with dots": () => fs.readFileSync(`${folder}/work/../notes`),
  "a path in a buffer": () => fs.readFileSync(Buffer.from(notes)),
  "a path in a URL": () => fs.readFileSync(pathToFileURL(notes)),
  exists: () => fs.existsSync(notes) || refuse(),
  "open to append": () => fs.openSync(made, "a"),
  "open by numbers": () => fs.openSync(made, fs.constants.O_CREAT | fs.constants.O_WRONLY),
  "read what is made": () => fs.readFileSync(made, { flag: "w+" }),
  "read stream": () => once(fs.createReadStream(notes), "open"),
  "write stream": () => once(fs.createWriteStream(made), "open"),
  "UTF-8 stream": () => new (fs.Utf8Stream ?? refuse())({ dest: made, sync: true }),
  database: () => new (builtin("node:sqlite").DatabaseSync)(made).exec("CREATE TABLE a (b)"),
  spawn: () => once(childProcess.spawn("true"), "close"),
  exec: () => once(childProcess.exec("true"), "close"),
  fork: () => once(childProcess.fork(notes), "close"),
  spawnSync: () => childProcess.spawnSync("true"),
  execSync: () => childProcess.execSync("true"),
  execFileSync: () => childProcess.execFileSync("true"),
  worker: () => once(new Worker("", { eval: true }), "exit"),
  addon: () => process.dlopen({ exports: {} }, notes),
  binding: () => process.binding("spawn_sync"),
  inspector: () => builtin("node:inspector").open(0),
  heap: () => builtin("node:v8").writeHeapSnapshot(made),
  report: () => process.report.writeReport(made),
  environment: () => process.loadEnvFile(notes),
};
const networkActs = {
  fetch: () => fetch(url),
  connect: () => once(net.connect(port, "127.0.0.1"), "connect"),
  "an address in another form": () => once(net.connect(port, "::ffff:127.0.0.1"), "connect"),
  "no host": () => once(new net.Socket().connect({ port }), "connect"),
  "a socket with a path": () => once(net.connect(join(folder, "socket")), "connect"),
  listen: () => once(net.createServer().listen(0), "listening"),
  datagram: () => dgram.createSocket("udp4").send("x", port, "127.0.0.1"),
  websocket: () =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(url.replace("http", "ws"));
      // The event gives no reason.
      Object.assign(socket, { onopen: resolve, onerror: () => reject(new Error("no connection")) });
    }),
};

const outcomes = { acts: {}, network: {} };
for (const [name, act] of [...Object.entries(acts), ...actsOn("fs", fs), ...actsOn("fs.promises", fs.promises)])
  outcomes.acts[name] = await tried(act);
for (const [name, act] of Object.entries(networkActs)) outcomes.network[name] = await tried(act);
process.send(outcomes, () => process.exit(0));

async function tried(act) {
  try {
    await act();
    return "done";
  } catch (thrown) {
    return thrown.cause?.code ?? thrown.code ?? String(thrown);
  }
}

function actsOn(label, owner) {
  const names = Object.keys(owner).filter((name) => /^[a-z]/.test(name) && typeof owner[name] === "function");
  return names
    .filter((name) => !WITHOUT_PATH.test(name))
    .map((name) => [`${label}.${name}`, () => call(owner, name, furtherArguments[name.replace(/Sync$/, "")] ?? [])]);
}

async function call(owner, name, further) {
  const isCalledBack = owner === fs && !/Sync$|^watch|^openAsBlob$/.test(name);
  if (isCalledBack) {
    await new Promise((resolve, reject) =>
      owner[name](notes, ...further, (error) => (error ? reject(error) : resolve())),
    );
  } else {
    const value = await owner[name](notes, ...further, ...(/^watch/.test(name) && owner === fs ? [() => {}] : []));
    if (value?.[Symbol.asyncIterator] !== undefined) await value.next?.();
  }
}

function refuse() {
  throw Object.assign(new Error("refused"), { code: "EACCES" });
}
