import { describe, expect, it } from "vitest";
import { createJournal } from "./simulator.js";

const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln";

function entry(path: string, messages: unknown[] = [], headers: Record<string, string> = {}) {
  return { path, httpVersion: "1.1", headers, messages };
}

describe("the journal", () => {
  it("keeps no more than the newest five hundred", () => {
    const journal = createJournal();
    for (let i = 0; i < 2_300; i++) journal.record(entry(`/${i}`));
    const kept = journal.last(10_000);
    expect(kept).toHaveLength(500);
    expect(kept.at(-1)?.path).toBe("/2299");
  });
});

describe("secrets in the journal", () => {
  const shown = (opened: ReturnType<typeof entry>) => {
    const journal = createJournal();
    journal.record(opened);
    return journal.last(1)[0];
  };

  it.each([
    ["Bearer crsr_abc123", "Bearer crsr_***"],
    [`bearer ${JWT}`, "bearer eyJ***"],
    ["Bearer something-else", "Bearer ***"],
    ["Basic Y3Jzcl94Og==", "Basic ***"],
    ["naked", "***"],
  ])("masks the authorization %s", (authorization, masked) => {
    expect(shown(entry("/", [], { authorization }))?.headers).toEqual({ authorization: masked });
  });

  it("masks other headers that hold a secret and leaves the rest alone", () => {
    const headers = { cookie: "a=b", "x-blob-encryption-key": "00ff", "x-cursor-client-type": "sdk", "x-note": JWT };
    expect(shown(entry("/", [], headers))?.headers).toEqual({
      cookie: "***",
      "x-blob-encryption-key": "***",
      "x-cursor-client-type": "sdk",
      "x-note": "eyJ***",
    });
  });

  it("masks bodies and paths, wherever the secret is", () => {
    const body = { list: [{ refreshToken: "plain" }], text: `my key is crsr_deadbeef and ${JWT}`, n: 1, none: null };
    const masked = shown(entry("/auth/poll?uuid=1&verifier=secret&x=crsr_1", [body]));
    expect(masked?.messages).toEqual([
      { list: [{ refreshToken: "***" }], text: "my key is crsr_*** and eyJ***", n: 1, none: null },
    ]);
    expect(masked?.path).toBe("/auth/poll?uuid=1&verifier=***&x=crsr_***");
  });
});
