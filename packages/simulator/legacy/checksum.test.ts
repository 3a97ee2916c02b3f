import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checksumProblem } from "./checksum.js";

const ID = "ab".repeat(32);
const MAC = "cd".repeat(32);
const UUID = "0f0e0d0c-1111-4222-8333-444455556666";

describe("a checksum", () => {
  it.each([
    ["one machine id", `5XZ4Ziq_${ID}`],
    ["two machine ids", `5XZ4Ziq_${ID}/${MAC}`],
    ["the standard alphabet, with a slash in the prefix", `5XZ4Ziq/${ID}/${MAC}`],
  ])("may have %s", (_, checksum) => {
    expect(checksumProblem(checksum, "ide", "strict")).toBeUndefined();
  });

  it("may have a UUID for its second id, unless strict", () => {
    expect(checksumProblem(`5XZ4Ziq_${ID}/${UUID}`, "ide", "lax")).toBeUndefined();
    expect(checksumProblem(`5XZ4Ziq_${ID}/${UUID}`, "ide", "strict")).toContain("second machine id");
  });

  it.each([
    ["a machine id cut short", `5XZ4Ziq_${ID.slice(0, 8)}/${MAC.slice(0, 8)}`, "machine id"],
    ["three ids", `5XZ4Ziq_${ID}/${MAC}/${MAC}`, "second machine id"],
    ["another time layout", `AAAAAAAA${ID}`, "laid out"],
    ["no base64 in front", `!!!!!!!!${ID}`, "base64"],
    ["nothing in it", "", "base64"],
  ])("must not have %s", (_, checksum, problem) => {
    expect(checksumProblem(checksum, "ide", "lax")).toContain(problem);
  });

  it("may be missing for clients that never send one, but not for the desktop app", () => {
    expect(checksumProblem(undefined, "cli", "strict")).toBeUndefined();
    expect(checksumProblem(undefined, "sdk", "strict")).toBeUndefined();
    expect(checksumProblem(undefined, "ide", "lax")).toBe("it is missing");
    expect(checksumProblem(undefined, undefined, "lax")).toBe("it is missing");
  });
});

describe("the vectors", () => {
  const vectors = JSON.parse(
    readFileSync(new URL("../../gateway/backends/chat/fixtures/checksum-vectors.json", import.meta.url), "utf8"),
  );

  it.each<{ header: string }>(vectors.headers)("are accepted as the desktop app writes them: $header", ({ header }) => {
    expect(checksumProblem(header, "ide", "strict")).toBeUndefined();
  });

  it.each<{ nowMs: number; prefix: string }>(vectors.bigEndianPrefixes)(
    "are accepted in the other layout at $nowMs, unless strict",
    ({ nowMs, prefix }) => {
      expect(checksumProblem(prefix + ID, "ide", "lax")).toBeUndefined();
      // Zero has the same bytes in both layouts.
      if (nowMs >= 1_000_000) expect(checksumProblem(prefix + ID, "ide", "strict")).toContain("time");
    },
  );

  it.each<{ full: string; short: string }>(vectors.circulatedVariants)(
    "in circulation are accepted in full and refused when truncated: $full",
    ({ full, short }) => {
      expect(checksumProblem(full, "ide", "strict")).toBeUndefined();
      expect(checksumProblem(short, "ide", "lax")).toContain("64 hex digits");
    },
  );

  it.each<{ header: string; why: string }>(vectors.mustReject)("are refused: $why", ({ header }) => {
    expect(checksumProblem(header, "ide", "strict")).toBeTypeOf("string");
  });
});
