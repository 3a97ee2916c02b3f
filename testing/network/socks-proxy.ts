import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { type LocalServer, listenLocally } from "./local-server.js";

interface AskedConnection {
  /** A name, or an address if the client has looked the name up. */
  readonly host: string;
  readonly port: number;
  /** Undefined if the client has not signed in. */
  readonly user: string | undefined;
}

export interface SocksProxy extends LocalServer {
  /** The connections that clients asked for. */
  readonly asked: readonly AskedConnection[];
  /** Sets the real target of every connection, whatever is requested. */
  leadTo(url: string): void;
  /** Requires these credentials from now on, as `user:password`. */
  require(credentials: string): void;
  /** Answers every request with this code instead of a connection. */
  refuse(code: number): void;
  /** Falls silent after this step. Resolves when a client waits there. */
  hangAt(step: "greeting" | "request"): Promise<void>;
}

/** A SOCKS5 proxy, which sends its answers in single bytes. */
export async function startSocksProxy(): Promise<SocksProxy> {
  const asked: AskedConnection[] = [];
  let target = new URL("http://127.0.0.1:9");
  let required: string | undefined;
  let refusal = 0;
  let hang: { step: string; onWaiting: () => void } | undefined;
  const hangsAt = (step: string) => {
    if (hang?.step !== step) return false;
    hang.onWaiting();
    return true;
  };

  const serve = async (near: Socket) => {
    const say = async (...bytes: number[]) => {
      for (const byte of bytes) {
        near.write(Buffer.of(byte));
        await new Promise(setImmediate);
      }
    };
    const [, count = 0] = await read(near, 2);
    const offered = await read(near, count);
    if (hangsAt("greeting")) return;
    const method = required === undefined ? 0 : 2;
    if (!offered.includes(method)) return void near.end(Buffer.of(5, 0xff));
    await say(5, method);
    let user: string | undefined;
    if (required !== undefined) {
      await read(near, 1);
      user = await readText(near);
      const isRight = `${user}:${await readText(near)}` === required;
      await say(1, isRight ? 0 : 1);
      if (!isRight) return void near.end();
    }
    const [, , , type] = await read(near, 4);
    const host = await readHost(near, type ?? 0);
    const port = (await read(near, 2)).readUInt16BE();
    asked.push({ host, port, user });
    if (hangsAt("request")) return;
    if (refusal !== 0) return void near.end(Buffer.of(5, refusal, 0, 1, 0, 0, 0, 0, 0, 0));
    const far = connect(Number(target.port), "127.0.0.1");
    far.on("error", () => {});
    near.once("close", () => far.destroy());
    far.once("close", () => near.destroy());
    await once(far, "connect");
    await say(5, 0, 0, 3, 4, 0x68, 0x65, 0x72, 0x65, 0, 80);
    near.pipe(far).pipe(near);
  };
  const server = createServer((near) => void serve(near).catch(() => near.destroy()));
  return {
    ...(await listenLocally(server)),
    asked,
    leadTo(url) {
      target = new URL(url);
    },
    require(credentials) {
      required = credentials;
    },
    refuse(code) {
      refusal = code;
    },
    hangAt: (step) =>
      new Promise((onWaiting) => {
        hang = { step, onWaiting };
      }),
  };
}

async function readHost(socket: Socket, type: number): Promise<string> {
  if (type === 3) return readText(socket);
  if (type === 1) return [...(await read(socket, 4))].join(".");
  const groups = (await read(socket, 16)).toString("hex").match(/.{4}/g) ?? [];
  return groups.join(":");
}

async function readText(socket: Socket): Promise<string> {
  const [length = 0] = await read(socket, 1);
  return (await read(socket, length)).toString("utf8");
}

async function read(socket: Socket, count: number): Promise<Buffer> {
  for (;;) {
    const bytes: Buffer | null = socket.read(count);
    if (bytes !== null) return bytes;
    await once(socket, "readable");
  }
}
