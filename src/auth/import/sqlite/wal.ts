import { readFileSync } from "node:fs";

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** The newest committed content of the pages that stand in a write-ahead log and not yet in the database itself. */
export function readWal(path: string, pageSize: number): ReadonlyMap<number, Buffer> {
  const committed = new Map<number, Buffer>();
  let log: Buffer;
  try {
    log = readFileSync(path);
  } catch {
    return committed; // the usual case: there is none
  }
  if (log.length < HEADER_BYTES || log.readUInt32BE(8) !== pageSize) return committed;
  const magic = log.readUInt32BE(0);
  if (magic !== 0x377f0682 && magic !== 0x377f0683) return committed;
  const isBigEndian = magic === 0x377f0683;
  const salts = log.subarray(16, 24);
  let sum = checksum(log.subarray(0, 24), [0, 0], isBigEndian);
  let pending = new Map<number, Buffer>();
  for (let at = HEADER_BYTES; at + FRAME_HEADER_BYTES + pageSize <= log.length; at += FRAME_HEADER_BYTES + pageSize) {
    const page = log.subarray(at + FRAME_HEADER_BYTES, at + FRAME_HEADER_BYTES + pageSize);
    // Frames after the end are left over from an earlier round, or half written: their salts or sums do not fit.
    if (!log.subarray(at + 8, at + 16).equals(salts)) break;
    sum = checksum(page, checksum(log.subarray(at, at + 8), sum, isBigEndian), isBigEndian);
    if (log.readUInt32BE(at + 16) !== sum[0] || log.readUInt32BE(at + 20) !== sum[1]) break;
    pending.set(log.readUInt32BE(at), page);
    const isCommit = log.readUInt32BE(at + 4) !== 0;
    if (!isCommit) continue;
    for (const [number, content] of pending) committed.set(number, content);
    pending = new Map();
  }
  return committed;
}

type Sum = readonly [number, number];

function checksum(bytes: Buffer, start: Sum, isBigEndian: boolean): Sum {
  let [first, second] = start;
  const word = (at: number) => (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at));
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    first = (first + word(at) + second) >>> 0;
    second = (second + word(at + 4) + first) >>> 0;
  }
  return [first, second];
}
