import { describe, expect, it } from "vitest";
import { foldedPdf, lockedPdf, samplePdf, scannedPdf } from "../../../../testing/samples/sample-pdf.js";
import { type ReadLimits, readPdf } from "./read-pdf.js";

function read(pdf: Uint8Array, limits: Partial<ReadLimits> = {}, signal = new AbortController().signal) {
  return readPdf(pdf, { readMs: 60_000, readMemoryMb: 128, textCharacters: 1_000, ...limits }, signal);
}

describe("a PDF", () => {
  it("is read page by page", async () => {
    expect(await read(samplePdf("Tides (spring)", "Neaps"))).toEqual({
      text: "[Page 1]\nTides (spring)\n[Page 2]\nNeaps",
      isCut: false,
    });
  });

  it("is cut at the limit, even in the middle of a page", async () => {
    expect(await read(samplePdf("Tides", "Neaps"), { textCharacters: 20 })).toEqual({
      text: "[Page 1]\nTides\n[Page",
      isCut: true,
    });
    expect(await read(samplePdf("Tides"), { textCharacters: 12 })).toEqual({ text: "[Page 1]\nTid", isCut: true });
    const whole = "[Page 1]\nTides";
    expect(await read(samplePdf("Tides"), { textCharacters: whole.length + 1 })).toEqual({ text: whole, isCut: false });
  });

  it("leaves its bytes unchanged", async () => {
    const pdf = samplePdf("Tides");
    const before = Buffer.from(pdf);
    await read(pdf);
    expect(pdf).toEqual(before);
  });

  it.each([
    ["has no text", scannedPdf(), {}, "probably a scan"],
    ["is locked", lockedPdf(), {}, "password"],
    ["is damaged", Buffer.from("%PDF-1.7 and nothing"), {}, "damaged"],
    ["is empty", Buffer.alloc(0), {}, "damaged"],
    ["takes too long", samplePdf("Tides"), { readMs: 1 }, "longer than 0.001 seconds"],
    // Enough for a worker to start, which on some Nodes would end the whole process otherwise.
    ["needs too much memory", samplePdf("Tides"), { readMemoryMb: 8 }, "memory"],
  ])("that %s is reported in words", async (_, pdf, limits, words) => {
    expect(await read(pdf, limits)).toEqual({ problem: expect.stringContaining(words) });
  });

  it("that decompresses to too much is aborted early", async () => {
    const pdf = await foldedPdf(300);
    const beforeBytes = process.memoryUsage.rss();
    let mostBytes = 0;
    const watch = setInterval(() => {
      mostBytes = Math.max(mostBytes, process.memoryUsage.rss() - beforeBytes);
    }, 10);
    expect(await read(pdf, { readMemoryMb: 64 })).toEqual({
      problem: expect.stringContaining("decompresses to too much"),
    });
    clearInterval(watch);
    expect(mostBytes).toBeLessThan(200 * 1024 * 1024);
  });

  it("is aborted when the client leaves", async () => {
    const client = new AbortController();
    const reading = read(samplePdf("Tides"), {}, client.signal);
    client.abort();
    expect(await reading).toEqual({ problem: expect.stringContaining("client left") });
    expect(await read(samplePdf("Tides"), {}, client.signal)).toEqual({
      problem: expect.stringContaining("client left"),
    });
  });
});
