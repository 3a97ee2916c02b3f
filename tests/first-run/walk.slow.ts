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
    const agents = async () => {
      const { throughCurlew } = JSON.parse(await desk.curlew("usage", "--by", "client", "--json"));
      const entries: { client: string }[] = throughCurlew.entries;
      return entries.map((entry) => entry.client);
    };
    await expect.poll(agents).toContainEqual(expect.stringContaining(client.agent));
    expect(simulator.stats()).toMatchObject({ logins: 1 });

    // Its log is a table that fits the terminal.
    const [, log = ""] = (await person.terminal.screen()).split("Its requests follow here.\n");
    expect(log.trim().split("\n")).toSatisfy((lines: string[]) =>
      lines.every((line) => /^\d\d:\d\d:\d\d {2}/.test(line)),
    );

    await person.presses("C-c");
    await person.sees(/\$$/);
    expect(await desk.curlew("setup", client.name, "--undo", "--yes")).toContain(`${client.title} is as it was.`);
    expect(existsSync(file)).toBe(false);
  });
});
