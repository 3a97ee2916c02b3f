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
