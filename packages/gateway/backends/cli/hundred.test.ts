import { readdirSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { afterAll, expect, it } from "vitest";
import { startContext, userTurn } from "../../../../testing/backends/scripted/index.js";
import { makeCliBackend } from "../../../../testing/gateway/cli-backend.js";
import { isGroupAlive } from "../../system/process-group.js";
import { collect } from "../../turn/collect.js";
import { useFakeCli } from "./fake-cli.cases.js";

const REQUESTS = 100;
const AT_ONCE = 5;

const { fake, temporaryFolder } = await useFakeCli();
const backend = makeCliBackend({ cliPath: fake.command, temporaryFolder });
afterAll(() => backend.close());

/** The client of every seventh request leaves in the middle. */
async function request(each: number): Promise<string> {
  if (each % 7 > 0)
    return (await collect(backend.start(userTurn(`[[say answer ${each}]]`), startContext()).events())).text;
  const exchange = backend.start(userTurn("[[say begun]] [[wait 60000]]"), startContext());
  try {
    for await (const batch of exchange.events()) if (batch.length > 0) exchange.close("client-left");
  } catch {
    return "left";
  }
  return "ended";
}

it("leaves nothing behind after a hundred requests: no process, no zombie, no file", async () => {
  const answers: string[] = [];
  const lane = async (first: number) => {
    for (let each = first; each < REQUESTS; each += AT_ONCE) answers[each] = await request(each);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, first) => lane(first)));
  expect(answers).toEqual(Array.from({ length: REQUESTS }, (_, each) => (each % 7 > 0 ? `answer ${each}` : "left")));

  const pids = fake.calls().flatMap(({ argv, pid }) => (argv.includes("-p") ? [pid] : []));
  expect(pids.length).toBe(REQUESTS);
  await expect.poll(() => readdir(temporaryFolder)).toEqual([]);
  await expect.poll(() => pids.filter(isGroupAlive)).toEqual([]);
  expect(childrenOfOurs().filter((pid) => pids.includes(pid))).toEqual([]);
});

/** Includes zombies. Without /proc the process groups suffice. */
function childrenOfOurs(): number[] {
  if (process.platform !== "linux") return [];
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => parentOf(pid) === process.pid).map(Number);
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[1]);
  } catch {
    return undefined; // the process has just ended
  }
}
