import { readFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import type { AttachmentLimits } from "./limits.js";

type PdfOutcome =
  | { readonly text: string; readonly isCut: boolean }
  /** Why the text could not be read, as the end of a sentence about the document. */
  | { readonly problem: string };
export type ReadLimits = Pick<AttachmentLimits, "readMs" | "readMemoryMb" | "textCharacters">;

/** A script beside the bundle; sources use that of the last build. */
const file = import.meta.url.endsWith(".ts") ? "../../../../dist/chunks/pdf-worker.cjs" : "./pdf-worker.cjs";
let script: Buffer | undefined;

/** Keeps the script in memory, because an update of Curlew removes the file. */
export async function loadPdfReader(): Promise<Buffer> {
  script ??= await readFile(new URL(file, import.meta.url));
  return script;
}

/** Reads a PDF's text in a worker thread with limits on memory and time, so that a hostile document fails only its own request. */
export async function readPdf(data: Uint8Array, limits: ReadLimits, signal: AbortSignal): Promise<PdfOutcome> {
  const code = String(await loadPdfReader());
  return new Promise((resolve) => {
    const { readMs, readMemoryMb, textCharacters } = limits;
    const worker = new Worker(code, {
      eval: true,
      workerData: { data, maxCharacters: textCharacters, maxBufferBytes: (readMemoryMb / 4) * 1024 * 1024 },
      resourceLimits: { maxOldGenerationSizeMb: readMemoryMb },
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
    });
    const end = (outcome: PdfOutcome) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", leave);
      resolve(outcome);
      void worker.terminate();
    };
    const leave = () => end({ problem: "was not read: the client left" });
    const timer = setTimeout(() => end({ problem: `takes longer than ${readMs / 1000} seconds to read` }), readMs);
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    worker.unref();
    worker.on("message", end);
    worker.on("error", () => end({ problem: "cannot be read: it needs too much memory, or is damaged" }));
  });
}
