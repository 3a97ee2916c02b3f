import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { builtInSdk } from "../../packages/gateway/backends/profile/index.js";
import { findChanges } from "../../packages/wire/descriptors/find-changes.js";
import { readBundle } from "../../packages/wire/descriptors/read-bundle.js";
import { file_agent_v1 } from "../../packages/wire/gen/agent_v1_pb.js";
import { file_aiserver_v1 } from "../../packages/wire/gen/aiserver_v1_pb.js";
import { file_chat_v1 } from "../../packages/wire/gen/chat_v1_pb.js";
import { type Comparison, compareSchemas } from "./descriptors/compare.js";
import { readDecisions } from "./descriptors/decisions.js";
import { knownFields } from "./descriptors/known-fields.js";
import { schemaIn, schemaOf } from "./descriptors/schema.js";
import { installSdk } from "./install.js";

/** The version that Curlew claims to speak. */
const version = builtInSdk.version.slice("sdk-".length);
const sdk = await installSdk({ version, nodeMajor: "24" });
const bundle = readFileSync(new URL("../bundled/index.js", sdk.module), "utf8");
const ours = schemaOf([file_agent_v1, file_aiserver_v1, file_chat_v1]);
const decisions = readDecisions();

describe("the descriptors in Cursor's package", () => {
  it("are those of packages/wire/proto, but for what is decided", () => {
    const theirs = schemaIn(readBundle(bundle));
    const comparison = compareSchemas(ours, theirs, decisions);
    process.stdout.write(
      `${theirs.messages.size} messages and ${theirs.enums.size} enums in the package\n${report(comparison)}\n`,
    );
    expect(comparison.undecided).toEqual([]);
    expect(comparison.messages).toBeGreaterThan(300);
    expect(comparison.fields).toBeGreaterThan(1_200);
  });

  it("are what the product knows, by which it tells what a newer package changes", async () => {
    const theirs = readBundle(bundle);
    const known = knownFields(ours, theirs, compareSchemas(ours, schemaIn(theirs), decisions), decisions);
    await expect(known).toMatchFileSnapshot("../../packages/wire/descriptors/known-fields.json");
    expect(findChanges(bundle)).toEqual({ added: [], changed: { sent: [], read: [] } });
  });

  const message = "agent.v1.TextDeltaUpdate";
  const text = `${message} 1 text`;
  const kind = "agent.v1.ThinkingStyle";
  it.each([
    ["a new field", /(?<="TextDeltaUpdate\|)/, "9 mood 9?|", [`${message} 9 mood is not in ${message}`]],
    ["a new message", /(?<="ConversationStep\|)/, "9 mood #0|", ["agent.v1.ConversationStep 9 mood is not in"]],
    ["a new value", /(?<="ThinkingStyle",\[)/, '[9,"MOOD"],', [`${kind} 9 THINKING_STYLE_MOOD is not in ${kind}`]],
    ["another name", /(?<="TextDeltaUpdate\|1 )text/, "words", [`${text}: name is text here, words there`]],
    ["another type", /(?<="TextDeltaUpdate\|1 text )9/, "12", [`${text}: type is string here, bytes there`]],
    ["another label", /(?<="TextDeltaUpdate\|1 text 9)/, "?", [`${text}: label is none here, optional there`]],
    ["a oneof", /(?<="TextDeltaUpdate\|1 text 9)/, " kind", [`${text}: oneof is none here, kind there`]],
    [
      "another number",
      /(?<="TextDeltaUpdate\|)1/,
      "8",
      [`${text} is not in ${message}`, `${message} 8 text is not in`],
    ],
  ])("with %s are undecided", (_name, place, planted, told) => {
    const changed = bundle.replace(place, planted);
    expect(changed).not.toBe(bundle);
    const { undecided } = compareSchemas(ours, schemaIn(readBundle(changed)), decisions);
    expect(undecided).toEqual(told.map((line) => expect.stringContaining(line)));
  });

  it("need every decision", () => {
    const more = { ...decisions, leftOut: new Map([...decisions.leftOut, [`${message}.text`, "no reason"]]) };
    const { undecided } = compareSchemas(ours, schemaIn(readBundle(bundle)), more);
    expect(undecided).toEqual([`${message}.text needs no decision in leftOut any more`]);
  });
});

function report({ messages, fields, values, presenceOnly, leftOut, undecided }: Comparison): string {
  const reasons = [...leftOut].sort(([, one], [, other]) => other - one);
  return [
    `compared: ${messages} messages, ${fields} fields, ${values} values; of ${presenceOnly} fields only the presence`,
    ...reasons.map(([reason, count]) => `left out: ${count}, ${reason}`),
    `undecided: ${undecided.length}`,
  ].join("\n");
}
