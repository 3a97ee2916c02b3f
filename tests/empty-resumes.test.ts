import { afterEach, expect, it } from "vitest";
import { chat, result, tool, user } from "../testing/clients/tool-client.js";
import { startTestGateway, startWholeSystem, type WholeSystem } from "../testing/gateway/whole-system.js";

const tools = [tool("weather")];
/** Large enough to show in the byte counts if sent again. */
const filler = "filler ".repeat(10_000);

let system: WholeSystem;
/** Bytes sent without blobs, which Cursor requests again when the id changes. */
const ownBytes = () => system.simulator.stats().bytesIn - system.simulator.stats().blobBytesIn;
const others: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const other of others.splice(0)) await other.close();
  await system.close();
});

it.each([
  { name: "from the checkpoint of the calls", delay: "" },
  { name: "from before the calls", delay: "[[delay-checkpoint 60000]]" },
])("an empty answer to resumed results is retried once with a message: $name", async ({ delay }) => {
  system = await startWholeSystem({ emptyResumes: true });
  const messages = [user(`${filler} ${delay} [[call weather {}]] then [[say done]]`)];
  const first = await chat(system.url, messages, { tools });
  messages.push(first.message, result(first.calls[0], "rain"));
  const { home, simulator } = system;
  const settings = { backendUrl: simulator.url, apiKey: "crsr_whole_system", logLevel: "silent" } as const;
  const another = await startTestGateway({ home, settings });
  others.push(another);
  const before = ownBytes();
  const second = await chat(another.url, messages, { tools });
  expect(second).toMatchObject({ continuity: "resumed", finish: "stop", calls: [] });
  expect(second.text).toMatch(/^Result of weather: rain\ndone/);
  expect(second.text.match(/This is a simulated answer\./g)).toHaveLength(1);
  expect(second.text).toContain("The results of your tool calls are above.");
  expect(simulator.stats()).toMatchObject({ runs: 3, resumes: 1, conversations: 2 });
  expect(ownBytes() - before).toBeLessThan(8_192);
  messages.push(second.message, user("[[say next]]"));
  expect(await chat(another.url, messages, { tools })).toMatchObject({ continuity: "warm", text: "next" });
});
