import { describe, expect, it } from "vitest";
import { leftoversIn } from "./leftovers.js";

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
