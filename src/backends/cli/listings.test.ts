import { describe, expect, it } from "vitest";
import { modelArgument, readModels, readStatus } from "./listings.js";

describe("the list of models", () => {
  it("is read from the rows alone, without marks and colours", () => {
    const listing = `\u001b[2mAvailable models\u001b[0m

\u001b[36mauto\u001b[0m - Auto (default)
demo-5-high - Demo 5  1M High
demo-5-thinking-high-fast - Demo 5 Fast (NO ZDR) (current)

Tip: use --model <id> (or /model <id> in interactive mode) to switch.
`;
    expect(readModels(listing)).toEqual([
      { id: "default", name: "Auto", aliases: ["auto"], canThink: true, canMax: false },
      { id: "demo-5-high", name: "Demo 5  1M High", aliases: [], canThink: false, canMax: false },
      { id: "demo-5-thinking-high-fast", name: "Demo 5 Fast", aliases: [], canThink: true, canMax: false },
    ]);
  });

  it.each([
    [{ id: "default", parameters: [] }, "auto"],
    [{ id: "demo-5-high", parameters: [] }, "demo-5-high"],
    [
      {
        id: "demo-5",
        parameters: [
          { id: "effort", value: "high" },
          { id: "fast", value: "false" },
        ],
      },
      "demo-5[effort=high,fast=false]",
    ],
  ])("gives for %o the argument %s", (model, argument) => {
    expect(modelArgument({ ...model, isMax: false })).toBe(argument);
  });
});

describe("the status", () => {
  it.each([
    ['{\n  "isAuthenticated": true,\n  "status": "authenticated"\n}\n', "logged-in"],
    ['{"isAuthenticated": false, "message": "Not logged in"}', "logged-out"],
    ["\n \u001b[32m✓\u001b[0m Logged in as person@example.com\n", "logged-in"],
    ["Not logged in", "logged-out"],
    ["something else", "unknown"],
    ["", "unknown"],
  ])("%j means %s", (output, login) => {
    expect(readStatus(output)).toBe(login);
  });
});
