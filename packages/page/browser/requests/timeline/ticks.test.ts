import { expect, it } from "vitest";
import { exactDuration, ticksOf } from "./ticks.js";

it.each([
  [16_300, 6, ["0", "5 s", "10 s", "15 s"]],
  [8_400, 8, ["0", "2 s", "4 s", "6 s", "8 s"]],
  [950, 5, ["0", "200 ms", "400 ms", "600 ms", "800 ms"]],
  [1, 6, ["0", "1 ms"]],
  [190_000, 4, ["0", "1 min", "2 min", "3 min"]],
  [100_000, 4, ["0", "30 s", "1 min", "1 min 30 s"]],
  [3 * 3_600_000, 4, ["0", "1 h", "2 h", "3 h"]],
  [2_000, 2, ["0", "1 s", "2 s"]],
  [100, 0, ["0", "100 ms"]],
])("shows round times on an axis of %d ms with room for %d", (wholeMs, most, texts) => {
  expect(ticksOf(wholeMs, most).map(({ text }) => text)).toEqual(texts);
});

it("never has more ticks than fit", () => {
  for (let wholeMs = 1; wholeMs < 1e10; wholeMs = Math.ceil(wholeMs * 1.37)) {
    for (const most of [1, 3, 7]) expect(ticksOf(wholeMs, most).length).toBeLessThanOrEqual(most + 1);
  }
});

it.each([
  [0.4, "0 ms"],
  [3, "3 ms"],
  [999.6, "1.00 s"],
  [1_249, "1.25 s"],
  [9_999, "10.0 s"],
  [12_345, "12.3 s"],
  [59_999, "1 min"],
  [185_000, "3 min 5 s"],
])("formats %d ms as %s", (ms, text) => {
  expect(exactDuration(ms)).toBe(text);
});
