import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { describeDifference, diffFields } from "../../laboratory/field-diff.js";
import { readCapture } from "../../packages/simulator/index.js";
import type { Capture } from "../../packages/wire/messages/capture-format.js";
import { runCurlew } from "../../testing/programs/curlew-process.js";
import {
  bytesField,
  changedServer,
  editFields,
  type Field,
  has,
  numberField,
  type ServerChange,
} from "../../testing/simulator/changed-server.js";
import { startSimulator } from "../../testing/simulator/strict-simulator.js";
import { temporaryFolder } from "../../testing/temporary-folder.js";

/** `curlew doctor --live --capture` in front of a server with this change: what it prints, and its capture. */
async function examine(change: ServerChange) {
  const simulator = await startSimulator({ takeOver: changedServer(change) });
  const env = { CURSOR_BACKEND_URL: simulator.url, CURSOR_API_KEY: "crsr_changes_0123456789abcdef" };
  const file = join(temporaryFolder(), "capture.jsonl");
  const { stdout } = await runCurlew(["doctor", "--live", "--yes", "--port", "0", "--capture", file], { env });
  await simulator.close();
  return { printed: stdout, capture: readCapture(file) };
}

let known: Capture | undefined;

async function usualCapture(): Promise<Capture> {
  known ??= (await examine({})).capture;
  return known;
}

const each = (change: (payload: Buffer) => Uint8Array): ServerChange => ({
  messages: () => (payload) => [change(payload)],
});
const [UPDATE, TEXT, TURN_ENDED, EXEC, QUERY] = [1, 1, 14, 2, 7];
const text = [UPDATE, TEXT];
const ended = [UPDATE, TURN_ENDED];

/** The first message of a run brings another one, which asks for an answer. */
function asks(channel: number, kind: number): ServerChange {
  const asked = editFields(Buffer.alloc(0), [], () => [
    bytesField(
      channel,
      editFields(Buffer.alloc(0), [], () => [numberField(1, 9_000), bytesField(kind, Buffer.alloc(0))]),
    ),
  ]);
  const messages = () => {
    let isFirst = true;
    return (payload: Buffer) => {
      const sent = isFirst ? [asked, payload] : [payload];
      isFirst = false;
      return sent;
    };
  };
  return { messages };
}

/** All text waits until the turn has ended. */
function endsBeforeText(): (payload: Buffer) => readonly Uint8Array[] {
  const held: Buffer[] = [];
  return (payload) => {
    if (has(payload, text)) held.push(payload);
    return has(payload, text) ? [] : has(payload, ended) ? [payload, ...held.splice(0)] : [payload];
  };
}

const lantern = {
  code: "failed_precondition",
  message: "Error",
  details: [
    {
      type: "aiserver.v1.ErrorDetails",
      value: Buffer.concat([
        editFields(Buffer.alloc(0), [], () => [
          numberField(1, 91),
          bytesField(
            2,
            editFields(Buffer.alloc(0), [], () => [bytesField(1, Buffer.from("Lantern required"))]),
          ),
        ]),
      ]).toString("base64"),
    },
  ],
};

const added = (no: number) => (fields: readonly Field[]) => [...fields, numberField(no, 1)];
const asText = (field: Field) => (field.no === 1 ? bytesField(1, Buffer.from("1234")) : field);
const turnEnded = "server > client  Run interaction_update.turn_ended";

interface Case {
  readonly name: string;
  readonly change: ServerChange;
  /** A line of the doctor. */
  readonly doctor: string;
  /** All lines of the comparison, up to the consequences. */
  readonly diff: readonly string[];
}

const cases: readonly Case[] = [
  {
    name: "a new field in text",
    change: each((payload) => editFields(payload, text, added(99))),
    doctor: "TextDeltaUpdate 99 (",
    diff: ["server > client  Run interaction_update.text_delta, field 99: number in new, absent in usual"],
  },
  {
    name: "a new field on every message",
    change: each((payload) => editFields(payload, [], added(120))),
    doctor: "AgentServerMessage 120 (",
    diff: [
      expect.stringMatching(/^server > client {2}Run \* \(\d+ kinds of messages\), field 120: number in new, absent/),
    ],
  },
  {
    name: "a new field beside every update",
    change: each((payload) => editFields(payload, [UPDATE], added(225))),
    doctor: "InteractionUpdate 225 (",
    diff: [
      expect.stringMatching(
        /^server > client {2}Run interaction_update\.\* \(\d+ kinds of messages\), field 225: number/,
      ),
    ],
  },
  {
    name: "a new question to the machine",
    change: asks(EXEC, 60),
    doctor: "ExecServerMessage 60 (",
    diff: [
      "server > client  Run exec_server_message.60: message in new, absent in usual",
      "client > server  Run exec_client_control_message.throw: message in new, absent in usual",
    ],
  },
  {
    name: "a new question to the user",
    change: asks(QUERY, 40),
    doctor: "InteractionQuery 40 (",
    diff: [
      "server > client  Run interaction_query.40: message in new, absent in usual",
      "client > server  Run interaction_response: message in new, absent in usual",
    ],
  },
  {
    name: "text under another number",
    change: each((payload) => editFields(payload, text, (fields) => fields.map((field) => ({ ...field, no: 4 })))),
    doctor: "TextDeltaUpdate 4 (",
    diff: [
      "server > client  Run interaction_update.text_delta, field 4: data in new, absent in usual",
      "server > client  Run interaction_update.text_delta, field 1 text: absent in new, text in usual",
    ],
  },
  {
    name: "no usage over HTTP/2",
    change: { messages: (http) => (payload) => [http === "2" ? editFields(payload, ended, () => []) : payload] },
    doctor: "Cursor sent no usage at the end of the turn.",
    diff: ["1 input", "2 output", "3 cache_read", "4 cache_write", "5 reasoning"].map((field) =>
      expect.stringMatching(
        `^${turnEnded}, field ${field}_tokens: absent in new, number in usual \\(\\d+ of \\d+ runs, all over HTTP/2\\)$`,
      ),
    ),
  },
  {
    name: "a number that is text",
    change: each((payload) => editFields(payload, ended, (fields) => fields.map(asText))),
    doctor: "TurnEndedUpdate 1 (",
    diff: [`${turnEnded}, field 1 input_tokens: data in new, number in usual`],
  },
  {
    name: "the end before the text",
    change: { messages: endsBeforeText },
    doctor: "text_delta after turn_ended (",
    diff: expect.arrayContaining([
      expect.stringContaining("text_delta, order: after interaction_update.turn_ended in new, after "),
    ]),
  },
  {
    name: "a new response header",
    change: { headers: { "x-lantern": "1" } },
    doctor: "runs have none (x-lantern).",
    diff: ["server > client  Run, header x-lantern: header in new, absent in usual"],
  },
  {
    name: "a new error",
    change: { error: lantern },
    doctor: "Lantern required",
    diff: [
      "server > client  Run, end: end end-frame in new, end canceled, end-frame in usual (all over HTTP/2)",
      expect.stringContaining("failed_precondition Error aiserver.v1.ErrorDetails 91 Lantern required in new, absent"),
      "server > client  Run, header connect-accept-encoding: absent in new, header in usual",
    ],
  },
];

describe("a server with", () => {
  it.each(cases)("$name is found out by doctor --live and by the comparison of captures", async (row) => {
    const { printed, capture } = await examine(row.change);
    expect(printed).toContain(row.doctor);
    const differences = diffFields(capture, await usualCapture());
    const causes = differences.filter(({ isConsequence }) => !isConsequence);
    expect(causes.map((each) => describeDifference(each, { one: "new", other: "usual" }).trimEnd())).toEqual(row.diff);
    // Only the error keeps runs from being made, and it is named before what follows from it.
    expect(differences.length > causes.length).toBe(row.change.error !== undefined);
    expect(differences.slice(0, causes.length)).toEqual(causes);
  });
});
