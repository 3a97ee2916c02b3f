import { expect, it } from "vitest";
import { sampleProfile } from "../../../../testing/samples/sample-profile.js";
import { agentOrigin } from "./agent-host.js";

const production = "https://api2.cursor.sh";
const none = { agentUrl: "", agentnUrl: "" };
const advised = { agentUrl: "https://agent.us.api5.cursor.sh", agentnUrl: "https://agentn.us.api5.cursor.sh/" };
const { hosts } = sampleProfile;
const choice = { backendUrl: production, hosts, agentUrl: undefined, advised, ghostMode: true };

it.each([
  ["privacy on", { ghostMode: true }, "https://agent.us.api5.cursor.sh"],
  ["privacy off", { ghostMode: false }, "https://agentn.us.api5.cursor.sh"],
  ["no advice, privacy on", { advised: none }, "https://agent.api5.cursor.sh"],
  ["no advice, privacy off", { advised: none, ghostMode: false }, "https://agentn.api5.cursor.sh"],
  ["the owner's own choice", { agentUrl: "https://mine.example/" }, "https://mine.example"],
])("runs of production go where Cursor says: %s", (_, changes, expected) => {
  expect(agentOrigin({ ...choice, ...changes })).toBe(expected);
});

it("runs go to the hosts of the owner's overlay where Cursor names none", () => {
  const own = { ...hosts, api: "https://api9.cursor.sh", privateAgent: "https://agent.api9.cursor.sh" };
  const moved = { ...choice, hosts: own, backendUrl: own.api };
  expect(agentOrigin({ ...moved, advised: none })).toBe("https://agent.api9.cursor.sh");
  expect(agentOrigin(moved)).toBe("https://agent.us.api5.cursor.sh");
});

it.each([
  "http://agent.api5.cursor.sh",
  "https://agent.api5.cursor.sh.evil.example",
  "https://evilcursor.sh",
  "https://evil.example/agent.api5.cursor.sh",
  "not a URL",
  "javascript:alert(1)",
])("a host that is not Cursor's own gets no token: %s", (agentUrl) => {
  expect(agentOrigin({ ...choice, advised: { agentUrl, agentnUrl: "" } })).toBe("https://agent.api5.cursor.sh");
});

it.each([
  "http://localhost:4100",
  "http://127.0.0.1:4100",
  "http://[::1]:4100",
  "https://dev.lclhst.build",
  "https://staging.cursor.sh",
  "https://dev-staging.cursor.sh",
  "https://api2.example.org",
])("any other backend keeps its runs: %s", (backendUrl) => {
  for (const ghostMode of [true, false]) {
    expect(agentOrigin({ ...choice, backendUrl, ghostMode })).toBe(backendUrl);
    expect(agentOrigin({ ...choice, backendUrl, ghostMode, agentUrl: "https://mine.example" })).toBe(
      "https://mine.example",
    );
  }
});
