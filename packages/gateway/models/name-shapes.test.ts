import { describe, expect, it } from "vitest";
import type { Model, ModelVariant } from "../backends/backend.js";
import { type LearnedShapes, learnShape, orderShapes, preferShapes, shapesOf } from "./name-shapes.js";

const variant = (effort: string, more: Partial<ModelVariant> = {}): ModelVariant => ({
  name: effort,
  parameters: [{ id: "effort", value: effort }],
  isMax: false,
  isDefault: false,
  slug: `opus-${effort}`,
  ...more,
});
const model: Model = { id: "opus-high", name: "Opus", aliases: [], canThink: true, base: "opus" };
const usual = { id: "opus-high", parameters: [] };

describe("the shapes of a model's name", () => {
  it("are all those that mean the same variant", () => {
    const high = variant("high", { isDefault: true });
    expect(shapesOf(model, usual, high)).toEqual([
      usual,
      { id: "opus", parameters: high.parameters },
      { id: "opus", parameters: [] },
      { ...usual, isVariant: true },
    ]);
    expect(shapesOf(model, usual, { ...high, isMax: true })).toHaveLength(3); // the base alone is not in max mode
    expect(shapesOf(model, usual, { ...high, isDefault: false })).toHaveLength(3);
    expect(shapesOf(model, usual, undefined)).toEqual([usual]);
  });

  it("are one for a model without parameters", () => {
    const plain = { id: "grok", parameters: [] };
    const only = variant("", { parameters: [], isDefault: true, slug: "grok" });
    expect(shapesOf({ ...model, id: "grok", base: "grok" }, plain, only)).toEqual([plain]);
  });

  it("come in the profile's order, unlisted ones last", () => {
    const shapes = shapesOf(model, usual, variant("high", { isDefault: true }));
    const [slug, parameters, base, marked] = shapes;
    expect(preferShapes(shapes, ["base", "variant", "parameters", "slug"])).toEqual([base, marked, parameters, slug]);
    expect(preferShapes(shapes, ["parameters"])).toEqual([parameters, slug, base, marked]);
    expect(preferShapes(shapes, [])).toEqual(shapes);
  });

  it("begin with the one that has worked, until it fails", () => {
    const shapes = shapesOf(model, usual, variant("high", { isDefault: true }));
    const [first, second, third, fourth] = shapes;
    const learned = learnShape({}, shapes, second, true);
    expect(orderShapes(shapes, learned)).toEqual([second, first, third, fourth]);
    const refused = learnShape(learned, orderShapes(shapes, learned), undefined, true);
    expect(orderShapes(shapes, refused)).toEqual([third, fourth, first, second]);
    expect(learnShape(refused, shapes.slice(0, 2), undefined, true)).toEqual(refused);
    const again = learnShape(refused, orderShapes(shapes, refused), undefined, true);
    expect(orderShapes(shapes, again)).toEqual(shapes);
  });

  it("keep what was learned before the marked name was one of them", () => {
    const shapes = shapesOf(model, usual, variant("high", { isDefault: true }));
    const learned = learnShape({}, shapes.slice(0, 3), shapes[2], true);
    expect(orderShapes(shapes, learned)[0]).toBe(shapes[2]);
    expect(shapes).toHaveLength(4);
  });

  it("keep the one that has worked when a limit refuses them all", () => {
    const shapes = shapesOf(model, usual, variant("high", { isDefault: true }));
    const learned = learnShape({}, shapes, shapes[1], true);
    expect(learnShape(learned, orderShapes(shapes, learned), undefined, false)).toBe(learned);
    const untried = learnShape({}, shapes, undefined, false);
    expect(orderShapes(shapes, untried)[0]).toBe(shapes[2]);
    const again = learnShape(untried, orderShapes(shapes, untried), undefined, false);
    expect(orderShapes(shapes, again)).toEqual(shapes);
  });

  it("are remembered for a limited number of models", () => {
    let learned: LearnedShapes = {};
    for (let at = 0; at < 500; at++) {
      const shapes = [
        { id: `m${at}`, parameters: [] },
        { id: `n${at}`, parameters: [] },
      ];
      learned = learnShape(learned, shapes, shapes[1], true);
    }
    expect(Object.values(learned)).toHaveLength(200);
    expect(Object.values(learned).at(-1)).toBe("n499");
  });
});
