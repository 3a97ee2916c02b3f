import { describe, expect, it } from "vitest";
import type { Node } from "../packages/wire/messages/capture-format.js";
import { recordOn } from "../testing/gateway/recorded-talk.js";
import { diffFields } from "./field-diff.js";

describe("the difference between two captures", () => {
  const talk = { prompts: ["Hello [[say Good day]]"], shown: ["Hello"] };

  it("is empty for the same conversation", async () => {
    const [one, other] = [await recordOn({}, talk), await recordOn({}, talk)];
    expect(diffFields(one.capture, other.capture)).toEqual([]);
  });

  it.each([
    ["another number", (node: Node) => ({ ...node, no: 77, name: undefined })],
    ["another kind", (node: Node): Node => ({ no: node.no, name: node.name, kind: "text", pieces: [] })],
  ])("names the one field that was given %s by hand", async (_, change) => {
    const [one, other] = [await recordOn({}, talk), await recordOn({}, talk)];
    const edited = structuredClone(other.capture);
    const changed = change(
      changeField(
        edited.calls.flatMap(({ events }) => events),
        "cache_read_tokens",
        change,
      ),
    );
    const named = diffFields(one.capture, edited);
    expect(changed).toBeDefined();
    expect(named.length).toBeGreaterThan(0);
    for (const difference of named)
      expect(difference).toMatchObject({
        from: "server",
        call: "Run",
        message: "interaction_update.turn_ended",
        field: expect.stringMatching(/^1 interaction_update \/ 14 turn_ended \/ (?:3 cache_read_tokens|77)$/),
      });
  });

  it("names a choice that only one side makes, and an ending", async () => {
    const one = await recordOn({}, talk);
    const other = await recordOn({ privacyMode: 3, turnEnd: "open" }, talk);
    expect(diffFields(one.capture, other.capture)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ from: "server", field: "1 privacy_mode", one: "choice 1", other: "choice 3" }),
        expect.objectContaining({ call: "Run", field: "end", one: "end end-frame", other: "end canceled" }),
      ]),
    );
  });

  it("names a message and a field that this build does not know, by number", async () => {
    const [one, other] = [await recordOn({ drift: true }, talk), await recordOn({}, talk)];
    const named = diffFields(one.capture, other.capture).map(({ from, message, field }) => [from, message, field]);
    expect(named).toContainEqual(["server", "interaction_update.190", ""]);
    expect(named).toContainEqual(["server", "95", ""]);
  });
});

/** Replaces the first field of this name at any depth. Returns the original. */
function changeField(events: readonly unknown[], name: string, change: (node: Node) => Node): Node {
  const stack: unknown[] = [...events];
  for (let next = stack.shift(); next !== undefined; next = stack.shift()) {
    if (typeof next !== "object" || next === null) continue;
    if ("fields" in next && Array.isArray(next.fields)) {
      const at = next.fields.findIndex((field: Node) => field.name === name);
      const [found]: Node[] = next.fields.slice(at, at + 1);
      if (at >= 0 && found !== undefined) {
        next.fields[at] = change(found);
        return found;
      }
    }
    stack.push(...Object.values(next));
  }
  throw new Error(`no field ${name}`);
}
