import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { readWal } from "./wal.js";

/** Another program is in the middle of writing; what stands in the file now may not fit together. */
export class DatabaseBusy extends Error {
  override readonly name = "DatabaseBusy";
}

export class DatabaseDamaged extends Error {
  override readonly name = "DatabaseDamaged";
}

const MAGIC = "SQLite format 3\0";
const JOURNAL_MAGIC = "d9d505f920a163d7";

/** The pages of a database that is read in place: nothing is written, and no lock is taken. */
export class Pages {
  readonly size: number;
  /** Bytes of a page that hold content. */
  readonly usable: number;
  readonly encoding: "utf8" | "utf16le";
  readonly #file: number;
  readonly #path: string;
  readonly #wal: ReadonlyMap<number, Buffer>;
  readonly #stamp: string;

  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, "r");
    try {
      refuseWhileWritten(path);
      this.#stamp = this.#state();
      const header = this.#read(0, 100);
      if (header.toString("latin1", 0, 16) !== MAGIC) throw new DatabaseDamaged(`${path} is no SQLite database.`);
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

  /** The first page is 1. */
  get(number: number): Buffer {
    return this.#wal.get(number) ?? this.#read((number - 1) * this.size, this.size);
  }

  /** Throws unless everything that was read belongs to one state of the database. */
  confirm(): void {
    refuseWhileWritten(this.#path);
    if (this.#state() !== this.#stamp) throw new DatabaseBusy(`${this.#path} was written meanwhile.`);
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

/** A rollback journal with a valid beginning is there while a change is written, or after a crash in the midst of one. */
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
