import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { postJson } from "../testing/clients/post-json.js";
import { openWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";
import { sampleProfile } from "../testing/samples/sample-profile.js";

const cli = sampleProfile.clients.cli.version;
const sdk = sampleProfile.clients.sdk.version;

async function ask({ url }: WholeSystem, words: string) {
  const messages = [{ role: "user", content: `[[say ${words}]]` }];
  const response = await postJson(`${url}/v1/chat/completions`, { model: "auto", messages });
  const { choices, error } = JSON.parse(await response.text());
  return error?.code ?? choices[0].message.content;
}

function claimed({ simulator }: WholeSystem): Set<unknown> {
  const versions = simulator.requests(100).map(({ headers }) => headers["x-cursor-client-version"]);
  return new Set(versions.filter((version) => version !== undefined));
}

it.each(["h2", "h1"] as const)(
  "over %s, a refused client is replaced by the newest that Curlew speaks",
  async (transport) => {
    const system = await openWholeSystem({ deniedVersions: [cli] }, { transport });
    expect(await Promise.all([ask(system, "one"), ask(system, "two")])).toEqual(["one", "two"]);
    expect(claimed(system)).toEqual(new Set([cli, sdk]));
    const { runs } = system.simulator.stats();
    expect(await ask(system, "three")).toBe("three");
    expect(system.simulator.stats().runs).toBe(runs + 1);
  },
);

it("a call about the account is repeated as well", async () => {
  const system = await openWholeSystem({ deniedVersions: [cli] });
  const list = await fetch(`${system.url}/v1/models`);
  expect(list.status).toBe(200);
  expect(claimed(system)).toEqual(new Set([cli, sdk]));
});

it("a person sees the refusal of both, after two runs", async () => {
  const system = await openWholeSystem({ deniedVersions: [cli, sdk] });
  expect(await ask(system, "hi")).toBe("client_outdated");
  expect(system.simulator.stats().runs).toBe(2);
  expect(await ask(system, "again")).toBe("client_outdated");
  expect(system.simulator.stats().runs).toBe(3);
});

it("no older client is claimed than the refused one", async () => {
  const system = await openWholeSystem({ deniedVersions: ["sdk-9.9.9"] }, { clientVersion: "sdk-9.9.9" });
  expect(await ask(system, "hi")).toBe("client_outdated");
  expect(system.simulator.stats().runs).toBe(1);
  expect(claimed(system)).toEqual(new Set(["sdk-9.9.9"]));
});

it.each([
  ["the built-in one, where the file is older", "sdk-1.0.9", sdk],
  ["the file's, where that is newer", "sdk-9.8.7", "sdk-9.8.7"],
])("the newest is %s", async (_name, inFile, newest) => {
  const overlay = { agentClient: "cli", clients: { sdk: { version: inFile } } };
  const prepare = (home: string) => writeFile(join(home, "cursor.json"), JSON.stringify(overlay), { mode: 0o600 });
  const system = await openWholeSystem({ deniedVersions: [cli] }, {}, prepare);
  expect(await ask(system, "hi")).toBe("hi");
  expect(claimed(system)).toEqual(new Set([cli, newest]));
});

it("an outdated version in the file is replaced by a newer built-in one", async () => {
  const overlay = { agentClient: "sdk", clients: { sdk: { version: "sdk-1.0.9" } } };
  const prepare = (home: string) => writeFile(join(home, "cursor.json"), JSON.stringify(overlay), { mode: 0o600 });
  const system = await openWholeSystem({ deniedVersions: ["sdk-1.0.9"] }, {}, prepare);
  expect(await ask(system, "hi")).toBe("hi");
  expect(claimed(system)).toEqual(new Set(["sdk-1.0.9", sdk]));
});
