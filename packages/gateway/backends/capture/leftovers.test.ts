import { describe, expect, it } from "vitest";
import { isPlainError, leftoversIn } from "./leftovers.js";

const words = { secrets: ["hunter-two"], homeFolder: "/srv/people/ada", hostName: "ada-laptop" };

describe("leftovers", () => {
  it.each([
    ["a token or key", "crsr_0123456789abcdef"],
    ["a token or key", `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${"x".repeat(43)}`],
    ["a token or key", "Bearer 0123456789abcdef"],
    ["a provider's key", "sk-ant-0123456789abcdef0123"],
    ["an e-mail address", "ada@example.com"],
    ["a home folder", "/home/ada/notes"],
    ["a home folder", JSON.stringify("C:\\Users\\ada")],
    ["an address of a computer", "http://10.1.2.3:8080"],
    ["a secret of the settings", "hunter-two"],
    ["your home folder", "/srv/people/ada/notes"],
    ["the name of this computer", "on ada-laptop."],
  ])("are %s", (what, text) => {
    const found = leftoversIn(`{"pieces":["before ${text} after"]}`, words);
    expect(found).toContain(what);
    expect(found.join()).not.toContain(text);
  });

  it("are not found in what a capture holds anyway", () => {
    const line =
      '{"path":"/agent.v1.AgentService/Run","headers":[{"name":"user-agent","pieces":["connect-es/1.7.0"]}]}';
    expect(leftoversIn(line, words)).toEqual([]);
    expect(leftoversIn('{"pieces":["ada-laptops and xada-laptop"]}', words)).toEqual([]);
    expect(leftoversIn('{"curlew":"0.1.0"}', { ...words, hostName: "curlew" })).toEqual([]);
  });
});

describe("the words of an error", () => {
  it.each([
    "Lantern required: renew this lantern before you ask again.",
    "You've hit your limit (429). Switch to Auto, or wait 5 minutes!",
    "Upgrade to Pro or Ultra: Cursor models need Max Mode.",
    "claude-opus isn't offered to this team",
    "lantern_required",
  ])("are shown: %s", (text) => expect(isPlainError(text)).toBe(true));

  it.each([
    "Write to ada@example.org",
    "Not on ada-laptop.example.org",
    "Not at 10.1.2.3",
    "Look into /srv/people/ada",
    String.raw`Look into C:\Users\ada`,
    "Look into notes/ada.txt",
    "The key crsr_0123456789abcdef is spent",
    `The token sk-ant-${"ab12".repeat(5)} is spent`,
    `The token ${"Q".repeat(43)} is spent`,
    "Bearer abcdefghijkl is spent",
    "The session 3f2504e0-4f89-11d3-9a0c-0305e82c3301 is over",
    "The session 4f8911d39a0c is over",
    "Account 90210 is closed",
    "Write to адам@пример.рф",
    "Ada Lovelace has left this team",
    "This model was switched off by Ada, who runs the team",
    "The team Analytical Engines has no seats left",
    'The tool "open_adas_door" is unknown',
    "The tool 'open_adas_door' is unknown",
    "The tool `open_adas_door` is unknown",
    `The prompt was: ${"please ".repeat(60)}`,
  ])("are not shown whole: %s", (text) => expect(isPlainError(text)).toBe(false));
});
