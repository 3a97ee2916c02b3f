import { createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { postJson } from "../testing/clients/post-json.js";
import { openWholeSystem, startTestGateway, type WholeSystem } from "../testing/gateway/whole-system.js";
import { listenLocally } from "../testing/network/local-server.js";

async function ask({ url }: WholeSystem): Promise<number> {
  const response = await postJson(`${url}/v1/chat/completions`, {
    model: "auto",
    messages: [{ role: "user", content: "[[say hi]]" }],
  });
  await response.text();
  return response.status;
}

const callsOf = ({ simulator }: WholeSystem) =>
  simulator.requests(50).map(({ path, headers }) => ({ path, ghost: headers["x-ghost-mode"] }));

it.each([
  [1, "true"],
  [3, "false"],
] as const)("privacy mode %i of the account makes runs with x-ghost-mode %s", async (privacyMode, ghost) => {
  const system = await openWholeSystem({ privacyMode });
  expect(await ask(system)).toBe(200);
  expect(callsOf(system).findLast(({ path }) => path.endsWith("/Run"))?.ghost).toBe(ghost);
});

it("sends identity and call numbers where Cursor's own clients do, and not before the account is known", async () => {
  const system = await openWholeSystem();
  await ask(system);
  await fetch(`${system.url}/v1/usage`);
  const calls = system.simulator.requests(50).filter(({ path }) => path.startsWith("/aiserver.v1."));
  const own = ["x-cursor-client-type", "x-cursor-client-version", "x-ghost-mode", "x-request-id"];
  const shown = new Map(
    calls.map(({ path, headers }) => [path.split("/").at(-1), own.filter((name) => headers[name])]),
  );
  expect([shown.get("GetServerConfig"), shown.get("GetUserPrivacyMode")]).toEqual([[], []]);
  expect(shown.get("GetCurrentPeriodUsage")).toEqual(own);
  const ids = calls.flatMap(({ headers }) => headers["x-request-id"] ?? []);
  expect(new Set(ids).size).toBe(ids.length);
});

it("answers a health check without having reached Cursor", async () => {
  const { url: backendUrl, close } = await listenLocally(createServer(() => {}));
  onTestFinished(close);
  const { home } = await openWholeSystem();
  const gateway = await startTestGateway({
    home: `${home}/other`,
    apiKey: "crsr_test",
    logLevel: "silent",
    settings: { backendUrl },
  });
  onTestFinished(() => gateway.close());
  const response = await fetch(`${gateway.url}/health`);
  expect(await response.json()).toMatchObject({ status: "ok", auth: "unchecked" });
});
