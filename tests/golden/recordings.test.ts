import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseSse } from "../../testing/clients/parse-sse.js";
import type { GoldenDialect } from "../../testing/golden/dialect.js";
import { type VendorShape, VendorShapes } from "../vendors/vendor-shape.js";
import { goldenDialects } from "./dialects.js";
import { recordedRoutes } from "./routes.js";

const shapes = new VendorShapes();

/** Sent while a stream is silent. Missing from the package's types, but the package skips unknown events. */
const PING = '{"type":"ping"}';

function checkEvent({ shapes: expected }: GoldenDialect, data: string): void {
  if (data === "[DONE]" || data === PING || expected === undefined) return;
  const value = JSON.parse(data);
  shapes.check(Object.hasOwn(value, "error") ? expected.error : expected.event, value);
}

const typed = goldenDialects.flatMap(({ shapes, ...rest }) => (shapes === undefined ? [] : [{ ...rest, shapes }]));

describe.each(typed)("the official package's types of $name", (dialect) => {
  const folder = `${import.meta.dirname}/${dialect.name}`;
  const files = readdirSync(folder);

  it.each(files)("allow everything in %s", (file) => {
    const text = readFileSync(`${folder}/${file}`, "utf8");
    if (file.endsWith(".json")) return expectShape(dialect.shapes.error, JSON.parse(text).body);
    const events = parseSse(text);
    expect(events.length).toBeGreaterThan(1);
    for (const { data } of events) checkEvent(dialect, data);
  });
});

describe("the official packages' types", () => {
  it.each(recordedRoutes)("allow what $name answers", ({ name, shape }) => {
    const { body } = JSON.parse(readFileSync(`${import.meta.dirname}/routes/${name}.json`, "utf8"));
    expectShape(shape, body);
  });

  it("are checked for every recorded route", () => {
    const files = readdirSync(`${import.meta.dirname}/routes`);
    expect(files.sort()).toEqual(recordedRoutes.map(({ name }) => `${name}.json`).sort());
  });
});

function expectShape(shape: VendorShape, value: unknown): void {
  expect(() => shapes.check(shape, value)).not.toThrow();
}
