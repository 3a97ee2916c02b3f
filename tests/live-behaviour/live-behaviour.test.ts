import { afterEach, describe, expect, it } from "vitest";
import { startWholeSystem, type WholeSystem } from "../../testing/gateway/whole-system.js";
import type { Seen } from "./behaviour.js";
import { behaviours } from "./behaviours.js";
import { Failed, packages } from "./talk.js";

let system: WholeSystem;
afterEach(() => system.close());

const named = behaviours.map((each) => ({ ...each, name: `${each.does} (${mode(each)})` }));

describe.each(Object.entries(packages))("with %s as it comes, when Cursor", (_name, talkTo) => {
  it.each(named)("$name", async ({ modes, play, seen, runs }) => {
    system = await startWholeSystem(modes);
    const played = await play({ system, talk: (options) => talkTo(system.url, options) }).then(
      (text): Seen => ({ finished: text }),
      (thrown: unknown): Seen => {
        if (!(thrown instanceof Failed)) throw thrown;
        const { status, code, message } = thrown;
        return { failed: { ...(status !== undefined && { status }), code, message: new RegExp(message) } };
      },
    );
    if ("failed" in seen && "failed" in played) {
      expect(played.failed.message.source).toMatch(seen.failed.message);
      expect({ ...played.failed, message: "" }).toEqual({ ...seen.failed, message: "" });
    } else expect(played).toEqual(seen);
    expect(system.simulator.stats().runs).toBe(runs);
  });
});

function mode({ modes, directive }: (typeof behaviours)[number]): string {
  return directive ?? Object.values(modes).join(" ");
}
