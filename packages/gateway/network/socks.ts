import { lookup } from "node:dns/promises";
import { connect, isIP, type Socket } from "node:net";
import { unlessAborted } from "../turn/any-signal.js";
import { decodeUri } from "../turn/read-json.js";
import { bare, portOf } from "./proxy-rules.js";

const DEFAULT_PORT = 1080;
const VERSION = 5;
const NO_AUTHENTICATION = 0;
const USER_AND_PASSWORD = 2;
const CONNECT = 1;
const addressTypes = { ipv4: 1, name: 3, ipv6: 4 } as const;
/** User names, passwords and host names have one byte for their length. */
const MAX_TEXT_BYTES = 255;

/** The reasons of RFC 1928 for a refused connection. */
const reasons: Readonly<Record<number, string>> = {
  1: "general failure",
  2: "not allowed by its rules",
  3: "the network is unreachable",
  4: "the host is unreachable or unknown",
  5: "the connection was refused",
  6: "the TTL expired",
  7: "it does not support this command",
  8: "it does not support this type of address",
};

/**
 * Asks a SOCKS5 proxy (RFC 1928, with user name and password by RFC 1929) for a connection to a host. The returned socket works like
 * a direct connection. With `socks5:` the name of the host is looked up here, with `socks5h:` and `socks:` by the proxy.
 * @throws Error when the proxy cannot be reached, refuses, or does not answer until the signal aborts; never with the password.
 * Hand-written: the `socks` package adds 171 KB, this 6, and it has its own timeout. SOCKS 4 has neither names nor passwords.
 */
export async function openSocks(proxy: URL, target: URL, signal: AbortSignal): Promise<Socket> {
  const address = await addressOf(proxy, bare(target.hostname), signal);
  const dialled = connect({ host: bare(proxy.hostname), port: Number(proxy.port || DEFAULT_PORT) });
  const socket = await connected("connect", dialled, signal).catch((cause) => {
    throw proxyUnreachable(proxy, cause);
  });
  const giveUp = () => socket.destroy(noAnswer(signal));
  const ignore = () => {}; // a pending read reports the error
  socket.on("error", ignore);
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    await authenticate(socket, proxy);
    await requestConnection(socket, proxy, address, Number(portOf(target)));
    return socket;
  } catch (thrown) {
    socket.destroy();
    throw thrown;
  } finally {
    signal.removeEventListener("abort", giveUp);
    if (!socket.destroyed) socket.off("error", ignore);
  }
}

async function addressOf(proxy: URL, host: string, signal: AbortSignal): Promise<Buffer> {
  if (isIP(host) !== 0) return ipBytes(host);
  if (proxy.protocol !== "socks5:") return Buffer.concat([Buffer.of(addressTypes.name), counted(host)]);
  const { address } = await unlessAborted(lookup(host), signal, () => noAnswer(signal));
  return ipBytes(address);
}

function ipBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from([addressTypes.ipv4, ...address.split(".").map(Number)]);
  // A URL writes every form of an IPv6 address as groups of hexadecimal digits.
  const [head = "", tail] = bare(new URL(`http://[${address}]`).hostname).split("::");
  const before = groups(head);
  const after = groups(tail ?? "");
  const zeros = new Array<number>(8 - before.length - after.length).fill(0);
  const bytes = [...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 0xff]);
  return Buffer.from([addressTypes.ipv6, ...bytes]);
}

function groups(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}

async function authenticate(socket: Socket, proxy: URL): Promise<void> {
  const hasUser = proxy.username !== "" || proxy.password !== "";
  const offered = hasUser ? [NO_AUTHENTICATION, USER_AND_PASSWORD] : [NO_AUTHENTICATION];
  socket.write(Buffer.from([VERSION, offered.length, ...offered]));
  const [version, method = -1] = await read(socket, 2, proxy);
  if (version !== VERSION) throw notSocks(proxy);
  if (!offered.includes(method)) {
    const wish = hasUser ? "another login method than user name and password" : "a user name and password";
    throw new Error(`the proxy ${proxy.host} wants ${wish}`);
  }
  if (method === NO_AUTHENTICATION) return;
  const user = counted(decodeUri(proxy.username));
  const password = counted(decodeUri(proxy.password));
  socket.write(Buffer.concat([Buffer.of(1), user, password]));
  const [, status] = await read(socket, 2, proxy);
  if (status !== 0) throw new Error(`the proxy ${proxy.host} refused the user name or password`);
}

async function requestConnection(socket: Socket, proxy: URL, address: Buffer, port: number): Promise<void> {
  socket.write(Buffer.concat([Buffer.of(VERSION, CONNECT, 0), address, Buffer.of(port >> 8, port & 0xff)]));
  const [version, reply = -1, , type] = await read(socket, 4, proxy);
  if (version !== VERSION) throw notSocks(proxy);
  if (reply !== 0) {
    const reason = reasons[reply] ?? `it answered with the code ${reply}`;
    throw new Error(`the proxy ${proxy.host} did not connect to Cursor: ${reason}`);
  }
  // Skips the address that the proxy connects from.
  const length = type === addressTypes.ipv4 ? 4 : type === addressTypes.ipv6 ? 16 : (await read(socket, 1, proxy))[0];
  await read(socket, (length ?? 0) + 2, proxy);
}

function notSocks({ host }: URL): Error {
  return new Error(`the proxy ${host} does not speak SOCKS5`);
}

function counted(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > MAX_TEXT_BYTES)
    throw new Error(`SOCKS takes names and passwords of ${MAX_TEXT_BYTES} bytes at most`);
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
}

/** Reads exactly `count` bytes. The rest stays in the socket. */
function read(socket: Socket, count: number, proxy: URL): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      socket.off("readable", look).off("error", fail).off("close", close);
      act();
    };
    const fail = (cause: Error) =>
      settle(() => reject(new Error(`the proxy ${proxy.host}: ${cause.message}`, { cause })));
    const close = () => fail(new Error("it closed the connection"));
    const look = () => {
      const bytes: Buffer | null = socket.read(count);
      if (bytes?.length === count) settle(() => resolve(bytes));
      else if (bytes !== null || socket.readableEnded) close();
    };
    socket.on("readable", look).on("error", fail).on("close", close);
    if (socket.destroyed) close();
    else look();
  });
}

/** Waits until a socket is connected. @throws Error when it fails, closes, or the signal aborts before that */
export function connected<S extends Socket>(
  event: "connect" | "secureConnect",
  socket: S,
  signal: AbortSignal,
): Promise<S> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      signal.removeEventListener("abort", giveUp);
      socket.off("error", fail).off("close", close);
      act();
    };
    const fail = (cause: Error) => settle(() => reject(cause));
    const close = () => fail(new Error("it closed the connection"));
    const giveUp = () => {
      settle(() => reject(noAnswer(signal)));
      socket.on("error", () => {}).destroy();
    };
    socket.once("error", fail).once("close", close);
    socket.once(event, () => settle(() => resolve(socket)));
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
  });
}

function noAnswer({ reason }: AbortSignal): Error {
  return new Error("no answer in time", { cause: reason });
}

export function proxyUnreachable(proxy: URL, cause: NodeJS.ErrnoException): Error {
  return new Error(`the proxy ${proxy.host} cannot be reached: ${cause.code ?? cause.message}`, { cause });
}
