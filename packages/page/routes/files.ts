import { readdir, readFile } from "node:fs/promises";
import { extname } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

export interface PageFile {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Undefined if it would not be smaller. */
  readonly gzipped: Uint8Array<ArrayBuffer> | undefined;
}

/** The built page: `/` and its assets by name. */
export interface PageFiles {
  readonly index: PageFile;
  readonly assets: ReadonlyMap<string, PageFile>;
}

/** Files of other kinds are not served. */
const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

/** Beside the bundle; sources use the last build. */
const folder = new URL(import.meta.url.endsWith(".ts") ? "../../../dist/dashboard/" : "../dashboard/", import.meta.url);

/** Reads the files at the first call and caches them. Undefined if the page was not built. */
export function builtPage(from: URL = folder): () => Promise<PageFiles | undefined> {
  let files: PageFiles | undefined;
  let reading: Promise<PageFiles | undefined> | undefined;
  return async () => {
    if (files !== undefined) return files;
    // A failure is not cached: the files may be readable a moment later.
    reading ??= readPage(from).finally(() => {
      reading = undefined;
    });
    files = await reading;
    return files;
  };
}

/** The page of this build, which a gateway keeps from its start on: an update replaces the files. */
export const ownPage = builtPage();

async function readPage(from: URL): Promise<PageFiles | undefined> {
  const names = await readdir(new URL("assets/", from)).catch(onlyIfThere);
  if (names === undefined) return undefined;
  const index = await read(new URL("index.html", from));
  if (index === undefined) return undefined;
  const assets = new Map<string, PageFile>();
  for (const name of names) {
    const file = await read(new URL(`assets/${encodeURIComponent(name)}`, from));
    if (file !== undefined) assets.set(name, file);
  }
  return { index, assets };
}

async function read(url: URL): Promise<PageFile | undefined> {
  const type = types[extname(url.pathname)];
  if (type === undefined) return undefined;
  const bytes = await readFile(url).catch(onlyIfThere);
  if (bytes === undefined) return undefined;
  const gzipped = await promisify(gzip)(bytes);
  return {
    type,
    bytes: new Uint8Array(bytes),
    gzipped: gzipped.length < bytes.length ? new Uint8Array(gzipped) : undefined,
  };
}

function onlyIfThere(thrown: unknown): undefined {
  if (thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT") return undefined;
  throw thrown;
}
