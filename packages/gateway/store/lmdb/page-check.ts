import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { endianness } from "node:os";
import { setImmediate } from "node:timers/promises";

/**
 * Checks an LMDB data file before it is opened. LMDB maps the file and trusts it: a cut or overwritten page ends the process. So we
 * check that every page of the newest snapshot is in the file, is the page it says it is, and holds nodes that lie within it. A
 * large file takes seconds, so the check pauses every few milliseconds. The content of records is not checked here.
 * The layout is that of data format 2 on 64-bit machines (page header 24 bytes, metas on pages 0 and 1).
 */
export async function checkPages(
  path: string,
  pause: () => Promise<unknown> = setImmediate,
): Promise<"sound" | "damaged" | "unknown"> {
  if (endianness() !== "LE" || !wideArchitectures.has(process.arch)) return "unknown";
  const file = openSync(path, "r");
  try {
    if (fstatSync(file).size === 0) return "sound";
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const meta = readNewestMeta(file);
      if (meta === undefined) return "damaged";
      const size = fstatSync(file).size; // read after the meta, because the file may grow with every commit
      if (await new PageWalk(file, size, meta).isSound(pause)) return "sound";
      // If another process has committed meanwhile, the pages may have been reused while we read them, which proves nothing.
      if (readNewestMeta(file)?.transaction === meta.transaction) return "damaged";
    }
    return "unknown";
  } finally {
    closeSync(file);
  }
}

const MAX_ATTEMPTS = 3;
const PAGES_BETWEEN_PAUSES = 100;
/** 64 GiB of pages. A larger number cannot be a count of pages. */
const MAX_PAGES = 2 ** 24;
const wideArchitectures: ReadonlySet<string> = new Set(["x64", "arm64"]);
const HEADER_BYTES = 24;
const NODE_HEADER_BYTES = 8;
/** Stands for a value on its own pages: their number, transaction and count. */
const OVERFLOW_NODE_BYTES = 24;
const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;
const MAX_DEPTH = 32;
const BRANCH_PAGE = 0x01;
const LEAF_PAGE = 0x02;
const OVERFLOW_PAGE = 0x04;
const META_PAGE = 0x08;
const BIG_DATA = 0x01;
const SUB_DATA = 0x02;
/** A table whose values begin with a version. Its pages are like those of any other. */
const HAS_VERSIONS = 0x100;

interface Meta {
  readonly pageBytes: number;
  readonly lastPage: number;
  readonly transaction: bigint;
  readonly freeRoot: bigint;
  readonly mainRoot: bigint;
}

function readNewestMeta(file: number): Meta | undefined {
  const first = readMeta(file, 0);
  if (first === undefined) return undefined;
  const second = readMeta(file, first.pageBytes);
  if (second === undefined || second.pageBytes !== first.pageBytes) return undefined;
  return second.transaction > first.transaction ? second : first;
}

function readMeta(file: number, at: number): Meta | undefined {
  const page = Buffer.alloc(HEADER_BYTES + 144);
  if (readSync(file, page, 0, page.length, at) !== page.length) return undefined;
  if ((page.readUInt16LE(18) & META_PAGE) === 0) return undefined;
  const meta = page.subarray(HEADER_BYTES);
  if (meta.readUInt32LE(0) !== MAGIC || (meta.readUInt32LE(4) & 0xffff) !== DATA_VERSION) return undefined;
  const pageBytes = meta.readUInt32LE(24);
  const lastPage = Number(meta.readBigUInt64LE(120));
  if (pageBytes < 512 || pageBytes > 65_536 || lastPage > MAX_PAGES) return undefined;
  return {
    pageBytes,
    lastPage,
    transaction: meta.readBigUInt64LE(128),
    freeRoot: meta.readBigUInt64LE(24 + 40),
    mainRoot: meta.readBigUInt64LE(72 + 40),
  };
}

interface TreePage {
  readonly number: number;
  readonly depth: number;
  readonly isFreeList: boolean;
}

class PageWalk {
  readonly #file: number;
  readonly #size: number;
  readonly #meta: Meta;
  readonly #seen: Uint8Array;
  readonly #page: Buffer;
  readonly #named: TreePage[] = [];

  constructor(file: number, size: number, meta: Meta) {
    this.#file = file;
    this.#size = size;
    this.#meta = meta;
    this.#seen = new Uint8Array(meta.lastPage + 1);
    this.#page = Buffer.alloc(meta.pageBytes);
  }

  async isSound(pause: () => Promise<unknown>): Promise<boolean> {
    if (!this.#nameTree(this.#meta.mainRoot, 0, false) || !this.#nameTree(this.#meta.freeRoot, 0, true)) return false;
    let checked = 0;
    for (let page = this.#named.pop(); page !== undefined; page = this.#named.pop()) {
      if (!this.#isPage(page)) return false;
      if (++checked % PAGES_BETWEEN_PAUSES === 0) await pause();
    }
    return true;
  }

  #nameTree(root: bigint, depth: number, isFreeList: boolean): boolean {
    if (root === NO_PAGE) return true;
    this.#named.push({ number: Number(root), depth, isFreeList });
    return root <= BigInt(this.#meta.lastPage);
  }

  #isPage({ number, depth, isFreeList }: TreePage): boolean {
    if (depth > MAX_DEPTH || !this.#claimUsed(number, 1)) return false;
    const { pageBytes } = this.#meta;
    const page = this.#page;
    if (readSync(this.#file, page, 0, pageBytes, number * pageBytes) !== pageBytes) return false;
    if (Number(page.readBigUInt64LE(0)) !== number || !this.#isPast(page.readBigUInt64LE(8))) return false;
    const kind = page.readUInt16LE(18);
    if (kind !== BRANCH_PAGE && kind !== LEAF_PAGE) return false;
    const nodes = packedNodes(page, kind);
    if (nodes === undefined || nodes.length < (kind === LEAF_PAGE || isFreeList ? 1 : 2)) return false;
    if (kind === LEAF_PAGE) return nodes.every((node) => this.#isLeaf(page, node, depth, isFreeList));
    for (const node of nodes) {
      const child = page.readUInt32LE(node) + page.readUInt16LE(node + 4) * 2 ** 32;
      this.#named.push({ number: child, depth: depth + 1, isFreeList });
    }
    return true;
  }

  #isLeaf(page: Buffer, node: number, depth: number, isFreeList: boolean): boolean {
    const value = node + NODE_HEADER_BYTES + page.readUInt16LE(node + 6);
    const bytes = page.readUInt32LE(node);
    switch (page.readUInt16LE(node + 4)) {
      case 0:
        return !isFreeList || this.#isFreeList(page.subarray(value, value + bytes));
      case BIG_DATA:
        return this.#isOverflow(page, value, bytes, isFreeList);
      case SUB_DATA:
        return this.#isSubTree(page.subarray(value, value + bytes), depth + 1);
      default:
        return false; // we have no tables with several values per key
    }
  }

  #isSubTree(tree: Buffer, depth: number): boolean {
    const flags = tree.length === 48 ? tree.readUInt16LE(4) & ~HAS_VERSIONS : undefined;
    const hasPlainRows = flags === 0 && tree.readUInt32LE(0) === 0;
    return hasPlainRows && this.#nameTree(tree.readBigUInt64LE(40), depth, false);
  }

  #isOverflow(page: Buffer, at: number, bytes: number, isFreeList: boolean): boolean {
    const { pageBytes } = this.#meta;
    const number = Number(page.readBigUInt64LE(at));
    const pages = Number(page.readBigUInt64LE(at + 16));
    if (pages !== Math.floor((HEADER_BYTES - 1 + bytes) / pageBytes) + 1 || !this.#claimUsed(number, pages))
      return false;
    const start = Buffer.alloc(isFreeList ? HEADER_BYTES + bytes : HEADER_BYTES);
    if (readSync(this.#file, start, 0, start.length, number * pageBytes) !== start.length) return false;
    if (Number(start.readBigUInt64LE(0)) !== number || start.readUInt16LE(18) !== OVERFLOW_PAGE) return false;
    if (!this.#isPast(start.readBigUInt64LE(8)) || !this.#isPast(page.readBigUInt64LE(at + 8))) return false;
    return start.readUInt32LE(20) === pages && (!isFreeList || this.#isFreeList(start.subarray(HEADER_BYTES)));
  }

  /** A free list is a count, then page numbers. A negative number is the length of the run that begins with the next number. */
  #isFreeList(list: Buffer): boolean {
    if (list.length < 8 || list.length % 8 !== 0) return false;
    const count = list.readBigUInt64LE(0);
    if (count >= BigInt(list.length / 8)) return false;
    const lastPage = BigInt(this.#meta.lastPage);
    let run = 1;
    for (let index = 1; index <= Number(count); index++) {
      const page = list.readBigInt64LE(index * 8);
      if (page > lastPage || -page > lastPage) return false;
      if (page < 0n) run = Number(-page);
      else if (page > 0n) {
        if (!this.#claim(Number(page), run)) return false;
        run = 1;
      }
    }
    return true;
  }

  /** LMDB treats a page of a future transaction as one in memory and writes to it. */
  #isPast(transaction: bigint): boolean {
    return transaction <= this.#meta.transaction;
  }

  /** A page in use must lie within the file. Free pages at the end may never have been written. */
  #claimUsed(page: number, count: number): boolean {
    return (page + count) * this.#meta.pageBytes <= this.#size && this.#claim(page, count);
  }

  /** Every page belongs to exactly one owner: one tree, or the free list. */
  #claim(page: number, count: number): boolean {
    const end = page + count;
    if (page < 2 || end > this.#meta.lastPage + 1) return false;
    for (let at = page; at < end; at++) {
      if (this.#seen[at] === 1) return false;
      this.#seen[at] = 1;
    }
    return true;
  }
}

/** The offsets of a page's nodes. They fill it from its upper bound to its end without gaps, because LMDB moves nodes by their sizes. */
function packedNodes(page: Buffer, kind: number): Uint16Array | undefined {
  // Bounds and offsets within a page are counted from the end of its header.
  const lower = page.readUInt16LE(20);
  const upper = page.readUInt16LE(22);
  if (lower > upper || HEADER_BYTES + upper > page.length || lower % 2 !== 0) return undefined;
  const nodes = new Uint16Array(lower / 2);
  for (let index = 0; index < nodes.length; index++) {
    nodes[index] = HEADER_BYTES + page.readUInt16LE(HEADER_BYTES + 2 * index);
  }
  nodes.sort();
  let end = HEADER_BYTES + upper;
  for (const node of nodes) {
    if (node !== end || node + NODE_HEADER_BYTES > page.length) return undefined;
    const valueBytes = (page.readUInt16LE(node + 4) & BIG_DATA) === 0 ? page.readUInt32LE(node) : OVERFLOW_NODE_BYTES;
    const bytes = NODE_HEADER_BYTES + page.readUInt16LE(node + 6) + (kind === BRANCH_PAGE ? 0 : valueBytes);
    end += bytes + (bytes % 2);
  }
  return end === page.length ? nodes : undefined;
}
