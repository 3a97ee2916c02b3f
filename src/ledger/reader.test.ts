import { describe, expect, it } from "vitest";
import { memoryTables } from "./memory-tables.js";
import { readerOf, type Unbooked } from "./reader.js";
import { update } from "./view.js";

/** A list that counts how often it is booked. */
function counted() {
  const count = { booked: 0 };
  const list = (): Unbooked[] => [
    {
      rule: 0,
      get items() {
        count.booked++;
        return [];
      },
    },
  ];
  return { count, list };
}

const nothing = { ready: async () => {}, close: async () => {} };

describe("what is not in the tables yet", () => {
  it("is booked again only when something has changed", async () => {
    const tables = memoryTables();
    const { count, list } = counted();
    let unbooked = list();
    const reader = readerOf({ tables: () => tables, unbooked: () => unbooked, ...nothing });
    for (let again = 0; again < 3; again++) reader.thread("t1");
    reader.rollUps("day", 0, 1);
    expect(count.booked).toBe(1);
    unbooked = list();
    reader.thread("t1");
    expect(count.booked).toBe(2);
    await update(tables, (view) => view.put("threads", "t1", "[3,0,0,0,0,0,1]"));
    expect(reader.thread("t1")).toMatchObject({ requests: 3, unadmitted: 1 });
    expect(count.booked).toBe(3);
  });
});

describe("the days of earlier versions", () => {
  it("are read for a report on days, and for nothing else", () => {
    const tables = memoryTables();
    let added = 0;
    const former = { has: () => true, addTo: () => void added++ };
    const reader = readerOf({ tables: () => tables, unbooked: () => [], former, ...nothing });
    reader.thread("t1");
    reader.entries({ limit: 1 });
    reader.rollUps("hour", 0, 1);
    expect(added).toBe(0);
    reader.rollUps("day", 0, 1);
    expect(added).toBe(1);
  });
});
