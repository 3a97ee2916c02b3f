import { DatabaseDamaged, Pages } from "./pages.js";

const LEAF = 13;
const INTERIOR = 5;
const SCHEMA_ROOT = 1;

/** Reads values by key from a table whose first two columns are key and value. @throws DatabaseBusy or DatabaseDamaged */
export function readValues(path: string, table: string, keys: readonly string[]): Map<string, Buffer> {
  const pages = new Pages(path);
  try {
    const found = new Map<string, Buffer>();
    const root = rootOf(pages, table);
    const wanted = new Set(keys);
    for (const cell of root === undefined ? [] : cells(pages, root, new Set())) {
      const key = text(readRecord(cell.start, 1)[0], pages);
      if (key === undefined || !wanted.has(key)) continue;
      const value = readRecord(wholePayload(pages, cell), 2)[1];
      if (Buffer.isBuffer(value)) found.set(key, value);
      if (found.size === wanted.size) break;
    }
    pages.confirm();
    return found;
  } catch (thrown) {
    // An offset points outside its page. The cause may be that another program is writing.
    if (thrown instanceof RangeError) {
      pages.confirm();
      throw new DatabaseDamaged(`${path} is damaged.`, { cause: thrown });
    }
    throw thrown;
  } finally {
    pages.close();
  }
}

function rootOf(pages: Pages, table: string): number | undefined {
  for (const cell of cells(pages, SCHEMA_ROOT, new Set())) {
    const [type, name, , root] = readRecord(wholePayload(pages, cell), 4);
    if (text(type, pages) === "table" && text(name, pages) === table && typeof root === "number") return root;
  }
  return undefined;
}

interface Cell {
  /** The part of the payload on this page; enough for a short first column. */
  readonly start: Buffer;
  readonly size: number;
  /** The page with the rest, or 0. */
  readonly overflow: number;
}

/** Every row of a table, in the order of its tree. */
function* cells(pages: Pages, number: number, above: Set<number>): Generator<Cell> {
  if (above.has(number)) throw new DatabaseDamaged("The pages of the database form a loop.");
  above.add(number);
  const page = pages.get(number);
  const header = number === 1 ? 100 : 0; // the first page begins with the file header
  const kind = page.readUInt8(header);
  const count = page.readUInt16BE(header + 3);
  const isLeaf = kind === LEAF;
  if (!isLeaf && kind !== INTERIOR) throw new DatabaseDamaged("A page of the table has an unknown type.");
  for (let index = 0; index < count; index++) {
    const at = page.readUInt16BE(header + (isLeaf ? 8 : 12) + 2 * index);
    if (isLeaf) yield leafCell(page, at, pages.usable);
    else yield* cells(pages, page.readUInt32BE(at), above);
  }
  if (!isLeaf) yield* cells(pages, page.readUInt32BE(header + 8), above);
}

function leafCell(page: Buffer, at: number, usable: number): Cell {
  const [size, afterSize] = varint(page, at);
  const [, begin] = varint(page, afterSize);
  const local = localSize(size, usable);
  const start = page.subarray(begin, begin + local);
  return { start, size, overflow: local < size ? page.readUInt32BE(begin + local) : 0 };
}

/** How much of a payload lies on the page itself, by the rule of the file format. */
function localSize(size: number, usable: number): number {
  const most = usable - 35;
  if (size <= most) return size;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const fitting = least + ((size - least) % (usable - 4));
  return fitting <= most ? fitting : least;
}

function wholePayload(pages: Pages, { start, size, overflow }: Cell): Buffer {
  const parts = [start];
  let missing = size - start.length;
  for (let next = overflow; next !== 0 && missing > 0; ) {
    const page = pages.get(next);
    const part = page.subarray(4, Math.min(pages.usable, 4 + missing));
    parts.push(part);
    missing -= part.length;
    next = page.readUInt32BE(0);
  }
  return Buffer.concat(parts);
}

function text(value: Value, { encoding }: Pages): string | undefined {
  return Buffer.isBuffer(value) ? value.toString(encoding) : undefined;
}

/** A value of a row. Numbers are decoded only as far as this reader needs them. */
type Value = Buffer | number | undefined;

/** Reads a variable-length integer. Values above 2^53 do not occur here. */
function varint(bytes: Buffer, at: number): [value: number, end: number] {
  let value = 0;
  for (let index = 0; index < 8; index++) {
    const byte = bytes.readUInt8(at + index);
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return [value, at + index + 1];
  }
  return [value * 256 + bytes.readUInt8(at + 8), at + 9];
}

function readRecord(payload: Buffer, count: number): Value[] {
  const values: Value[] = [];
  const [headerEnd, start] = varint(payload, 0);
  let at = headerEnd;
  for (let next = start; next < headerEnd && values.length < count; ) {
    const [type, end] = varint(payload, next);
    next = end;
    const length = type >= 12 ? Math.floor((type - 12) / 2) : ([0, 1, 2, 3, 4, 6, 8, 8, 0, 0][type] ?? 0);
    if (type >= 12) values.push(payload.subarray(at, at + length));
    else if (type >= 1 && type <= 5) values.push(payload.readIntBE(at, length));
    else values.push(type === 8 || type === 9 ? type - 8 : undefined);
    at += length;
  }
  return values;
}
