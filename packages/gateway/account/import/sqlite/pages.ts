import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";

/** Another program is writing, so the content of the file may be inconsistent. */
export class DatabaseBusy extends Error {
  override readonly name = "DatabaseBusy";
}

export class DatabaseDamaged extends Error {
  override readonly name = "DatabaseDamaged";
}

const MAGIC = "SQLite format 3\0";
const JOURNAL_MAGIC = "d9d505f920a163d7";

// SQLite itself does not fit: its native build is compiled code for a command that most people use once. Its WebAssembly build
// locks with a folder beside the file, even to read, and cannot open the log of a running editor. Tests compare this reader with it.
/** The pages of a database, read in place without a lock and without a write. */
export class Pages {
  readonly size: number;
  /** The bytes of a page that hold content. */
  readonly usable: number;
  readonly encoding: "utf8" | "utf16le";
  readonly #file: number;
  readonly #path: string;
  readonly #wal: ReadonlyMap<number, Buffer>;
  readonly #stamp: string;

  /** @throws DatabaseDamaged when the file is not a SQLite database, DatabaseBusy while another program writes it. */
  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, "r");
    try {
      refuseWhileWritten(path);
      this.#stamp = this.#state();
      const header = this.#read(0, 100);
      if (header.toString("latin1", 0, 16) !== MAGIC) throw new DatabaseDamaged(`${path} is not a SQLite database.`);
      const size = header.readUInt16BE(16);
      this.size = size === 1 ? 65_536 : size;
      if (this.size < 512) throw new DatabaseDamaged(`${path} is damaged.`);
      this.usable = this.size - header.readUInt8(20);
      this.encoding = header.readUInt32BE(56) === 2 ? "utf16le" : "utf8";
      this.#wal = readWal(`${path}-wal`, this.size);
    } catch (thrown) {
      closeSync(this.#file);
      throw thrown;
    }
  }

  /** Returns a page. The first page is 1. */
  get(number: number): Buffer {
    return this.#wal.get(number) ?? this.#read((number - 1) * this.size, this.size);
  }

  /** Checks that everything read belongs to one state. @throws DatabaseBusy when the database changed while it was read. */
  confirm(): void {
    refuseWhileWritten(this.#path);
    if (this.#state() !== this.#stamp) throw new DatabaseBusy(`${this.#path} was changed while it was read.`);
  }

  close(): void {
    closeSync(this.#file);
  }

  #state(): string {
    const { mtimeMs, size } = fstatSync(this.#file);
    return `${mtimeMs} ${size} ${this.#read(24, 4).toString("hex")}`;
  }

  #read(at: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    if (readSync(this.#file, bytes, 0, length, at) < length) throw new DatabaseDamaged(`${this.#path} is damaged.`);
    return bytes;
  }
}

/** A rollback journal with a valid header exists while a change is written, or after a crash during one. */
function refuseWhileWritten(path: string): void {
  let journal: number;
  try {
    journal = openSync(`${path}-journal`, "r");
  } catch {
    return;
  }
  const begin = Buffer.alloc(8);
  try {
    readSync(journal, begin, 0, 8, 0);
  } finally {
    closeSync(journal);
  }
  if (begin.toString("hex") === JOURNAL_MAGIC) throw new DatabaseBusy(`${path} is being written.`);
}

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** The newest committed content of the pages in a write-ahead log, which the database itself does not have yet. */
function readWal(path: string, pageSize: number): ReadonlyMap<number, Buffer> {
  const committed = new Map<number, Buffer>();
  let log: Buffer;
  try {
    log = readFileSync(path);
  } catch {
    return committed; // the usual case: no log
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
    // Frames after the end are stale or half written: their salts or checksums do not match.
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
