import { hash } from "node:crypto";
import { create, type DescMessage, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  ConversationStateStructureSchema,
  ConversationStepSchema,
  ConversationTurnStructureSchema,
  UserMessageSchema,
} from "@curlew/wire/gen/agent_v1_pb.js";
import { describe, expect, it } from "vitest";
import { memoryBlobs } from "../../../../../testing/backends/scripted/index.js";
import { finishInSlices } from "../../../system/clock.js";
import type { SentMessage } from "../../../turn/turn.js";
import { BlobStore } from "./blobs.js";
import { encodeHistory } from "./history.js";

const messages: SentMessage[] = [
  { role: "user", content: [{ type: "text", text: "weather?" }] },
  {
    role: "assistant",
    content: [
      { type: "thinking", text: "look it up" },
      { type: "text", text: "One moment." },
      { type: "call", id: "call_1", name: "weather", input: '{"city":"Kiel"}' },
    ],
  },
  { role: "tool", results: [{ callId: "call_1", content: [{ type: "text", text: "rain" }], isError: false }] },
  { role: "assistant", content: [{ type: "text", text: "It rains." }] },
  {
    role: "user",
    content: [
      { type: "text", text: "look" },
      { type: "image", mimeType: "image/png", data: Buffer.from("png") },
    ],
  },
];

function entries(blobs: BlobStore, ids: readonly Uint8Array[]): unknown[] {
  return ids.map((id) => JSON.parse(Buffer.from(blobs.get(id) ?? []).toString("utf8")));
}

/** The ids of the entries that the model reads. */
async function encode(said: readonly SentMessage[], into: BlobStore): Promise<Uint8Array[]> {
  const state = fromBinary(ConversationStateStructureSchema, await finishInSlices(encodeHistory(said, into)));
  return state.rootPromptMessagesJson;
}

async function entriesOf(said: readonly SentMessage[]): Promise<unknown[]> {
  const blobs = new BlobStore(memoryBlobs());
  return entries(blobs, await encode(said, blobs));
}

function generated<Schema extends DescMessage>(schema: Schema, fields: MessageInitShape<Schema>): Uint8Array {
  return toBinary(schema, create(schema, fields));
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const sha256 = (bytes: Uint8Array) => hash("sha256", bytes, "buffer");
const idOf = (position: number, text: string) =>
  hash("sha256", `${position} ${text}`, "hex").replace(
    /^(.{8}).{4}(.{4}).{8}(.{4}).{8}(.{4}).{8}(.{12}).*$/,
    "$1-$2-$3-$4-$5",
  );

describe("a transcript that Cursor has not seen", () => {
  it("becomes the entries that the model reads", async () => {
    expect(await entriesOf(messages)).toEqual([
      { role: "user", content: [{ type: "text", text: "<user_query>\nweather?\n</user_query>" }] },
      {
        role: "assistant",
        id: "1",
        content: [
          { type: "reasoning", text: "look it up" },
          { type: "text", text: "One moment." },
          { type: "tool-call", toolCallId: "call_1", toolName: "weather", args: { city: "Kiel" } },
        ],
      },
      {
        role: "tool",
        id: "call_1",
        content: [{ type: "tool-result", toolCallId: "call_1", toolName: "weather", result: "rain" }],
      },
      { role: "assistant", id: "3", content: [{ type: "text", text: "It rains." }] },
      {
        role: "user",
        content: [
          { type: "text", text: "<user_query>\nlook\n</user_query>" },
          { type: "image", image: Buffer.from("png").toString("base64"), mimeType: "image/png" },
        ],
      },
    ]);
  });

  it("has the bytes of the generated code, one turn per user message, with the assistant's words as steps", async () => {
    const texts = ["", "plain", "Grüße 👋 \ud800", "x".repeat(127), "ü".repeat(64), "y".repeat(20_000)];
    const stored: Uint8Array[] = [];
    const storage = { get: () => undefined, put: (_id: Uint8Array, data: Uint8Array) => void stored.push(data) };
    const said = texts.flatMap((text): SentMessage[] => {
      const content = [{ type: "text" as const, text }];
      return [{ role: "user", content }, ...Array<SentMessage>(5).fill({ role: "assistant", content })];
    });
    const history = await finishInSlices(encodeHistory(said, new BlobStore(storage)));
    const messageIds = [0, 6, 12, 18, 24, 30].map((position) => idOf(position, texts[position / 6] ?? ""));
    const users = texts.map((text, at) => generated(UserMessageSchema, { text, messageId: messageIds[at] ?? "" }));
    const steps = texts.map((text) =>
      text === ""
        ? []
        : Array.from({ length: 5 }, () =>
            generated(ConversationStepSchema, { message: { case: "assistantMessage", value: { text } } }),
          ),
    );
    const turns = users.map((userMessage, at) =>
      generated(ConversationTurnStructureSchema, {
        turn: {
          case: "agentConversationTurn",
          value: { userMessage: sha256(userMessage), steps: (steps[at] ?? []).map(sha256) },
        },
      }),
    );
    const roots = stored.slice(0, said.length);
    const expected = [...users.flatMap((message, at) => [message, ...(steps[at] ?? [])]), ...turns];
    expect(stored.slice(said.length).map(hex)).toEqual(expected.map(hex));
    const state = { rootPromptMessagesJson: roots.map(sha256), turns: turns.map(sha256) };
    expect(hex(history)).toBe(hex(generated(ConversationStateStructureSchema, state)));
  });

  it("gives the same bytes every time, so that a rebuild hits Cursor's caches", async () => {
    const encoded = (said: readonly SentMessage[]) => finishInSlices(encodeHistory(said, new BlobStore(memoryBlobs())));
    expect(await encoded(structuredClone(messages))).toEqual(await encoded(messages));
  });

  it("keeps the images of results", async () => {
    const image = { type: "image" as const, mimeType: "image/png", data: Buffer.from("png") };
    const seen: SentMessage[] = [
      {
        role: "tool",
        results: [{ callId: "c", content: [{ type: "text", text: "a bird: " }, image], isError: false }],
      },
    ];
    expect(await entriesOf(seen)).toMatchObject([
      {
        content: [
          {
            result: "a bird: [image/png]",
            experimental_content: [
              { type: "text", text: "a bird: " },
              { type: "image", data: Buffer.from("png").toString("base64"), mimeType: "image/png" },
            ],
          },
        ],
      },
    ]);
  });

  it.each([
    { name: "are not JSON", input: "{oops" },
    { name: "nest too deeply to be written again", input: `${"[".repeat(5_000)}${"]".repeat(5_000)}` },
  ])("keeps arguments that $name, as text", async ({ input }) => {
    const called: SentMessage[] = [{ role: "assistant", content: [{ type: "call", id: "c", name: "n", input }] }];
    expect(await entriesOf(called)).toMatchObject([{ content: [{ args: { input } }] }]);
  });

  it("may have more entries than a call takes as arguments", async () => {
    const result = { callId: "c", content: [], isError: false };
    const many: SentMessage[] = [{ role: "tool", results: Array.from({ length: 130_000 }, () => result) }];
    expect(await encode(many, new BlobStore({ get: () => undefined, put: () => {} }))).toHaveLength(130_000);
  });

  it("is encoded in slices, with other work between them", async () => {
    const many = Array.from({ length: 2_000 }, (): SentMessage => ({ role: "user", content: [] }));
    let turns = 0;
    const others = () => {
      turns++;
      next = setImmediate(others);
    };
    let next = setImmediate(others);
    await finishInSlices(encodeHistory(many, new BlobStore(memoryBlobs())));
    clearImmediate(next);
    expect(turns).toBeGreaterThan(20);
  });
});

describe("blobs", () => {
  it("from the server are kept only under their true hash", () => {
    const blobs = new BlobStore(memoryBlobs());
    const data = Buffer.from("content");
    const id = new BlobStore(memoryBlobs()).put(() => data);
    expect(blobs.accept(id, Buffer.from("other"))).toBe(false);
    expect(blobs.get(id)).toBeUndefined();
    expect(blobs.accept(id, data)).toBe(true);
    expect(blobs.get(id)).toEqual(data);
  });

  it("are regenerated from the messages if they are not stored, until the messages are released", async () => {
    const blobs = new BlobStore({ get: () => undefined, put: () => {} });
    const kept = new BlobStore(memoryBlobs());
    const ids = await encode(messages, blobs);
    expect(entries(blobs, ids)).toEqual(entries(kept, await encode(messages, kept)));
    blobs.letGoOfMessages();
    expect(ids.map((id) => blobs.get(id))).toEqual(ids.map(() => undefined));
  });
});
