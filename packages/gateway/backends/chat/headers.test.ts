import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checksum, clientKeyOf, machineIdsOf, sessionIdOf } from "./headers.js";

interface Vectors {
  readonly prefixes: readonly { nowMs: number; note: string; prefix: string }[];
  readonly headers: readonly { nowMs: number; machineId: string; macMachineId: string | null; header: string }[];
  readonly tokenDerived: readonly {
    token: string;
    nowMs: number;
    machineId: string;
    macMachineId: string;
    header: string;
    headerNoMac: string;
    clientKey: string;
    sessionId: string;
  }[];
}

const vectors: Vectors = JSON.parse(readFileSync(new URL("./fixtures/checksum-vectors.json", import.meta.url), "utf8"));

describe("the checksum header", () => {
  it.each(vectors.prefixes)("begins with the time: $note", ({ nowMs, prefix }) => {
    expect(checksum(nowMs, { machineId: "" })).toBe(prefix);
  });

  it.each(vectors.headers)("names the machine: $header", ({ nowMs, machineId, macMachineId, header }) => {
    expect(checksum(nowMs, { machineId, macMachineId: macMachineId ?? undefined })).toBe(header);
  });
});

describe.each(vectors.tokenDerived)("a token without a machine, at $nowMs", (vector) => {
  it("gets stable ids", () => {
    const { machineId, macMachineId } = vector;
    expect(machineIdsOf(vector.token)).toEqual({ machineId, macMachineId });
    expect(clientKeyOf(vector.token)).toBe(vector.clientKey);
    expect(sessionIdOf(vector.token)).toBe(vector.sessionId);
  });

  it("makes the header of both ids, or of the first alone", () => {
    const ids = machineIdsOf(vector.token);
    expect(checksum(vector.nowMs, ids)).toBe(vector.header);
    expect(checksum(vector.nowMs, { machineId: ids.machineId })).toBe(vector.headerNoMac);
  });
});
