import { afterEach, describe, expect, it } from "vitest";
import { scanDirectives } from "../../packages/simulator/model/directives.js";
import { startWholeSystem, type WholeSystem } from "../../testing/gateway/whole-system.js";
import type { Behaviour } from "./behaviour.js";
import { behaviours } from "./behaviours.js";
import { packages } from "./talk.js";

let system: WholeSystem | undefined;
afterEach(async () => {
  await system?.close();
  system = undefined;
});

const named = behaviours.map((each) => ({ ...each, name: `${played(each)}: ${each.does}` }));

describe.each(Object.entries(packages))("with %s in its default configuration, when Cursor", (_name, talkTo) => {
  it.each(named)("$name", async ({ modes, settings, play, seen, runs }) => {
    const started = await startWholeSystem(modes, settings);
    system = started;
    const playing = play({ system: started, talk: (options) => talkTo(started.url, options) });
    if ("finished" in seen) expect(await playing).toBe(seen.finished);
    else {
      const { status, code, message } = seen.failed;
      const failed = { name: "Failed", status, code, message: expect.stringMatching(message) };
      await expect(playing).rejects.toMatchObject(failed);
    }
    expect(started.simulator.stats().runs).toBe(runs);
  });
});

it("every directive in the table exists", () => {
  const written = behaviours.flatMap(({ directive }) => (directive === undefined ? [] : [directive]));
  const read = written.flatMap(scanDirectives).map(({ directive }) => directive.type);
  expect(read).toHaveLength(written.length);
  expect(read).not.toContain("unreadable");
});

function played({ modes, directive }: Behaviour): string {
  return directive ?? JSON.stringify(modes);
}
