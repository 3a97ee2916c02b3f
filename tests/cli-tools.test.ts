import { afterEach, expect, it } from "vitest";
import type { Settings } from "../packages/cli/config/settings.js";
import { type ChatMessage, chat, result, tool, user } from "../testing/clients/tool-client.js";
import { startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";
import { installFakeCli } from "../testing/simulator/installed-cli.js";
import { startedOnce } from "../testing/started.js";

let system: WholeSystem;
const fake = startedOnce(() => installFakeCli());
afterEach(() => system.close());

async function start(options: Partial<Settings> = {}): Promise<void> {
  system = await startWholeSystem({}, { backend: "cli", cliPath: fake.command, ...options });
}

const tools = [tool("weather")];
const sent = (method: string) => fake.messages().filter(({ message }) => message.method === method);
const cliPid = () => fake.calls().findLast(({ argv }) => argv.includes("acp"))?.pid ?? 0;

/** A conversation after one round of tools. */
async function begun(): Promise<ChatMessage[]> {
  const asked = [user("My bird is a curlew. [[call weather {}]]")];
  const { message, calls } = await chat(system.url, asked, { tools });
  const history = [...asked, message, result(calls[0], "hail")];
  const answer = await chat(system.url, history, { tools });
  expect([answer.text, answer.continuity]).toEqual([expect.stringContaining("hail"), "warm"]);
  return [...history, answer.message];
}

it("continues in the CLI's session while that lives, and sends the whole conversation when it is gone", async () => {
  await start();
  const history = await begun();
  const sessions = sent("session/new").length;
  const warm = await chat(system.url, [...history, user("Which bird?")], { tools });
  expect(warm.continuity).toBe("warm");
  expect(warm.text).toContain("My bird is a curlew");
  expect(sent("session/new")).toHaveLength(sessions);
  expect(JSON.stringify(sent("session/prompt").at(-1)?.message.params)).not.toContain("curlew");

  process.kill(cliPid(), "SIGKILL");
  const cold = await chat(system.url, [...history, warm.message, user("Which one again?")], { tools });
  expect(cold.continuity).toMatch(/^cold:/);
  expect(cold.text).toContain("My bird is a curlew");
});

it("keeps two branches of a conversation apart", async () => {
  await start();
  const history = await begun();
  const one = await chat(system.url, [...history, user("[[say one way]]")], { tools });
  const other = await chat(system.url, [...history, user("What did I say?")], { tools });
  expect([one.text, one.continuity, other.continuity]).toEqual(["one way", "warm", "cold:expired"]);
  expect(other.text).toContain("My bird is a curlew");
  expect(other.text).not.toContain("one way");
});

it("cancels the turn at the CLI when the results never come", async () => {
  await start({ leaseMs: 1_000 });
  const before = sent("session/cancel").length;
  const asked = [user("[[call weather {}]]")];
  const { message, calls } = await chat(system.url, asked, { tools });
  await expect.poll(() => sent("session/cancel")).toHaveLength(before + 1);
  const late = await chat(system.url, [...asked, message, result(calls[0], "hail")], { tools });
  expect([late.continuity, late.text]).toEqual(["cold:expired", expect.stringContaining("hail")]);
});
