import type { SimulatorOptions } from "../server/options.js";

const PREFIX_LENGTH = 8;
const HASH = /^[0-9a-f]{64}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Clients other than the desktop app send no checksum. */
const exemptTypes = new Set(["cli", "sdk"]);

/**
 * The problem with `x-cursor-checksum`, or undefined. The time in it may be old, because the desktop app computes it once and
 * keeps it.
 */
export function checksumProblem(
  checksum: string | undefined,
  clientType: string | undefined,
  mode: SimulatorOptions["checksum"],
): string | undefined {
  if (checksum === undefined) return exemptTypes.has(clientType ?? "") ? undefined : "it is missing";
  // The prefix is cut off first: in the standard alphabet it may contain a slash.
  const bytes = unscramble(checksum.slice(0, PREFIX_LENGTH));
  const [machineId = "", macMachineId, ...rest] = checksum.slice(PREFIX_LENGTH).split("/");
  if (bytes === undefined) return "its first eight characters are not base64";
  if (!HASH.test(machineId)) return "the machine id is not 64 hex digits";
  const isMacId = macMachineId === undefined || HASH.test(macMachineId) || (mode === "lax" && UUID.test(macMachineId));
  if (rest.length > 0 || !isMacId) return "the second machine id is not 64 hex digits";
  if (isDesktopLayout(bytes) || (mode === "lax" && isBigEndian(bytes))) return undefined;
  return "its time is not laid out as the desktop app does it";
}

/** Reverses the chain of XOR and addition over the six bytes of the time. */
function unscramble(prefix: string): number[] | undefined {
  if (!/^[\w+/-]{8}$/.test(prefix)) return undefined;
  let previous = 165;
  return [...Buffer.from(prefix, "base64")].map((scrambled, index) => {
    const plain = ((scrambled - index) & 0xff) ^ previous;
    previous = scrambled;
    return plain;
  });
}

/** JavaScript takes shift counts modulo 32, so the two topmost bytes repeat the two lowest. */
function isDesktopLayout(bytes: readonly number[]): boolean {
  return bytes[0] === bytes[4] && bytes[1] === bytes[5];
}

/** The layout that languages with 64-bit shifts make of the same recipe. */
function isBigEndian(bytes: readonly number[]): boolean {
  return bytes[0] === 0 && bytes[1] === 0;
}
