import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { installClient } from "../clients/install.js";
import { type Desk, openDesk } from "./desk.js";
import { walkedClients, walkFirstRun } from "./walk.js";

const MOST_PRESSES = 8;

async function deskWith(command: "opencode" | "claude"): Promise<Desk> {
  const [folder = ""] = (await installClient(command)).split(delimiter);
  const desk = await openDesk({ programs: [folder] });
  onTestFinished(() => desk.close());
  return desk;
}

describe.each(walkedClients)("the guided first run with $title", (client) => {
  it("leads from nothing to an answer in it, and can be undone", async () => {
    const desk = await deskWith(client.name);
    const { person, machine, simulator, url } = desk;
    const file = join(machine.home, client.file);
    expect(existsSync(file)).toBe(false);
    expect(await walkFirstRun(desk, client)).toBeLessThanOrEqual(MOST_PRESSES);

    expect(readFileSync(file, "utf8")).toContain(url);
    // The ledger of the gateway has the client's requests, and Cursor was asked by nobody else.
    const turnsOf = async () => {
      const { throughCurlew } = JSON.parse(await desk.curlew("usage", "--by", "client", "--json"));
      const entries: { client: string; turns: number }[] = throughCurlew.entries;
      return entries.find(({ client: name }) => name === client.agent)?.turns ?? 0;
    };
    await expect.poll(turnsOf).toBeGreaterThanOrEqual(1);
    expect(simulator.stats()).toMatchObject({ logins: 1 });

    await person.presses("C-c");
    await person.sees(/\$$/);
    expect(await desk.curlew("setup", client.name, "--undo", "--yes")).toContain(`${client.title} is as it was.`);
    expect(existsSync(file)).toBe(false);
  });
});
