import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mistakes } from "./mistakes.js";
import { Stage } from "./stage.js";

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

describe("a beginner's mistake", () => {
  it("is one of thirty", () => {
    expect(new Set(mistakes.map(({ number }) => number)).size).toBe(30);
  });

  it.each(mistakes)("gets an answer that helps: $number, $mistake", async ({ make, status, says }) => {
    const answer = await make(stage);
    for (const words of says) expect(answer.text).toMatch(words);
    expect(answer.status).toBe(status);
  });
});
