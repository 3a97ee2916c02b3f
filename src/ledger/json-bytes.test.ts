import { describe, expect, it } from "vitest";
import { sampleRecord } from "../../testing/ledger/sample-requests.js";
import { JsonBytes } from "./json-bytes.js";
import { readDetail, readEntry } from "./read-entry.js";
import { entryOf, entryText, writeDetail } from "./write-entry.js";

describe("bytes of JSON", () => {
  it("are what JSON.stringify writes", () => {
    const texts = [
      "",
      "plain",
      'quo"te',
      "back\\slash",
      "tab\tand\nline",
      "Grüße 🐦",
      "\u0000\u007f",
      "\ud800",
      "x".repeat(9_000),
    ];
    const numbers = [
      0,
      1,
      9,
      10,
      99,
      100,
      1_794_822_000_000,
      Number.MAX_SAFE_INTEGER,
      -5,
      1.5,
      1e300,
      Number.NaN,
      null,
    ];
    const json = new JsonBytes();
    for (let round = 0; round < 3; round++) {
      json.clear();
      json.beginDocument();
      for (const text of texts) json.text(text);
      json.beginList();
      for (const number of numbers) json.number(number);
      json.endList();
      json.beginList();
      json.endList();
      json.text(null);
      json.endList();
      const text = json.bytes.toString("utf8", 0, json.length);
      expect(text).toBe(JSON.stringify([...texts, numbers, [], null]));
      expect(json.copy(1, json.length).toString()).toBe(text.slice(1));
    }
  });

  it("give an entry and its detail back", () => {
    const record = sampleRecord("one", 1_794_822_000_000, {
      client: 'a "client"\twith\nsigns',
      turnId: "zero",
      round: 2,
      pauses: [{ startedMs: 1_794_822_000_010, endedMs: 1_794_822_000_030, calls: 2 }],
      clientToolsMs: 5,
      clientCalls: 3,
      warnings: ["Grüße"],
      joined: "other",
      cacheMiss: "tools",
      texts: { asked: "a", answered: "b" },
    });
    const entry = entryOf(record, 1_794_822_000_100);
    expect(readEntry(entryText(entry))).toEqual(entry);
    expect(entry).toMatchObject({ toolRounds: 2, toolsMs: 25, totalMs: 100 });
    const json = new JsonBytes();
    writeDetail(json, record, true, { openRequests: 1, openRuns: 1 });
    expect(readDetail("one", json.bytes.toString("utf8", 0, json.length))).toMatchObject({
      pauses: [{ startedMs: 10, endedMs: 30, calls: 2 }],
      warnings: ["Grüße"],
      joined: "other",
      texts: { asked: "a", answered: "b" },
    });
  });

  it("never say that a request took less than no time, though the clock was set back", () => {
    const record = sampleRecord("one", 1_000_000, { firstByteMs: 900_000 });
    expect(entryOf(record, 800_000)).toMatchObject({ firstByteMs: 0, totalMs: 0 });
  });
});
