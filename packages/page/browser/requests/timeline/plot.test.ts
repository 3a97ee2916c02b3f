import { expect, it } from "vitest";
import { nearestPlace, placeAfter } from "./plot.js";

const counts = [3, 0, 2];

it.each([
  ["ArrowRight", [0, 0], [0, 1]],
  ["ArrowRight", [0, 2], [2, 0]],
  ["ArrowRight", [2, 1], undefined],
  ["ArrowLeft", [2, 0], [0, 2]],
  ["ArrowLeft", [0, 0], undefined],
  ["ArrowDown", [0, 2], [2, 1]],
  ["ArrowDown", [2, 0], undefined],
  ["ArrowUp", [2, 1], [0, 1]],
  ["Home", [2, 1], [0, 0]],
  ["End", [0, 0], [2, 1]],
  ["a", [0, 0], undefined],
] as const)("%s leads from %j to %j, past empty lanes", (key, [lane, box], next) => {
  const place = placeAfter(key, { lane, box }, counts);
  expect(place && [place.lane, place.box]).toEqual(next);
});

it("falls back to the first segment if the place no longer exists", () => {
  expect(nearestPlace({ lane: 2, box: 1 }, counts)).toEqual({ lane: 2, box: 1 });
  expect(nearestPlace({ lane: 2, box: 1 }, [0, 4])).toEqual({ lane: 1, box: 0 });
  expect(nearestPlace({ lane: 0, box: 0 }, [0])).toBeUndefined();
});
