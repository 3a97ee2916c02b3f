import { createServer, type Server } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { startTestGateway, startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";

async function start(...args: Parameters<typeof startWholeSystem>): Promise<WholeSystem> {
  const system = await startWholeSystem(...args);
  onTestFinished(() => system.close());
  return system;
}

async function ask({ url }: WholeSystem): Promise<number> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "auto", messages: [{ role: "user", content: "[[say hi]]" }] }),
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
  const system = await start({ privacyMode });
  expect(await ask(system)).toBe(200);
  expect(callsOf(system).findLast(({ path }) => path.endsWith("/Run"))?.ghost).toBe(ghost);
});

it("asks about server and account once, before the first turn alone", async () => {
  const system = await start();
  await ask(system);
  await ask(system);
  const names = callsOf(system).map(({ path }) => path.split("/").at(-1));
  expect(names.filter((name) => name === "GetServerConfig" || name === "GetUserPrivacyMode")).toHaveLength(2);
  expect(names.filter((name) => name === "Run")).toHaveLength(2);
});

it("answers a health check without ever having reached Cursor", async () => {
  const silent: Server = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void silent.close());
  const address = silent.address();
  const port = typeof address === "object" ? address?.port : 0;
  const { home } = await start();
  const gateway = await startTestGateway({
    home: `${home}/other`,
    apiKey: "crsr_test",
    logLevel: "silent",
    settings: { backendUrl: `http://127.0.0.1:${port}` },
  });
  onTestFinished(() => gateway.close());
  const response = await fetch(`${gateway.url}/health`);
  expect(await response.json()).toMatchObject({ status: "ok", auth: "unchecked" });
});
