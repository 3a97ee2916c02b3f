import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../testing/temporary-folder.js";
import { parseScenario, readScenario, storeLogin } from "./scenario.js";

describe("a scenario", () => {
  it("changes only what it names", () => {
    expect(parseScenario({ end: "cut", noise: ["a, b"] })).toEqual({
      ...parseScenario({}),
      end: "cut",
      noise: ["a, b"],
    });
  });

  it.each([
    [[], "A scenario is a JSON object."],
    [{ logedIn: true }, 'Unknown scenario option "logedIn".'],
    [{ toString: true }, 'Unknown scenario option "toString".'],
    [{ loggedIn: "perhaps" }, '"loggedIn" must be true or false.'],
    [{ startMs: -1 }, '"startMs" must be a whole number from 0 to 600000.'],
    [{ refusal: 7 }, '"refusal" must be a text.'],
  ])("%j is refused", (json, message) => {
    expect(() => parseScenario(json)).toThrow(message);
  });

  it("may be missing, and keeps the login", () => {
    const folder = temporaryFolder();
    const file = join(folder, "scenario.json");
    expect(readScenario(file)).toEqual(parseScenario({}));
    storeLogin(file, false);
    expect(readScenario(file).loggedIn).toBe(false);
    expect(readScenario(undefined).loggedIn).toBe(true);
  });
});
