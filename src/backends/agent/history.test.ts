import { fromBinary } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import {
  ConversationStateStructureSchema,
  ConversationTurnStructureSchema,
  UserMessageSchema,
} from "../../gen/agent_v1_pb.js";
import type { SentMessage } from "../../turn/turn.js";
import { memoryShelf } from "../scripted/index.js";
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

describe("a transcript that Cursor has not seen", () => {
  const blobs = new BlobStore(memoryShelf());
  const bytes = encodeHistory(messages, blobs);
  const state = fromBinary(ConversationStateStructureSchema, bytes);

  it("becomes the entries that the model reads", () => {
    expect(entries(blobs, state.rootPromptMessagesJson)).toEqual([
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

  it("becomes one turn per user message, with the assistant's words as steps", () => {
    const turns = state.turns.map((id) =>
      fromBinary(ConversationTurnStructureSchema, blobs.get(id) ?? new Uint8Array()),
    );
    const shapes = turns.map(({ turn }) => {
      if (turn.case !== "agentConversationTurn") throw new Error("another kind of turn");
      const user = fromBinary(UserMessageSchema, blobs.get(turn.value.userMessage) ?? new Uint8Array());
      return { text: user.text, steps: turn.value.steps.length };
    });
    expect(shapes).toEqual([
      { text: "weather?", steps: 2 },
      { text: "look", steps: 0 },
    ]);
  });

  it("gives the same bytes every time, so that a rebuild meets Cursor's caches", () => {
    expect(encodeHistory(structuredClone(messages), new BlobStore(memoryShelf()))).toEqual(bytes);
  });

  it("keeps the images of results", () => {
    const image = { type: "image" as const, mimeType: "image/png", data: Buffer.from("png") };
    const seen: SentMessage[] = [
      {
        role: "tool",
        results: [{ callId: "c", content: [{ type: "text", text: "a bird: " }, image], isError: false }],
      },
    ];
    const held = new BlobStore(memoryShelf());
    const { rootPromptMessagesJson } = fromBinary(ConversationStateStructureSchema, encodeHistory(seen, held));
    expect(entries(held, rootPromptMessagesJson)).toMatchObject([
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

  it("keeps arguments that are no JSON", () => {
    const broken: SentMessage[] = [
      { role: "assistant", content: [{ type: "call", id: "c", name: "n", input: "{oops" }] },
    ];
    const held = new BlobStore(memoryShelf());
    const [entry] = entries(
      held,
      fromBinary(ConversationStateStructureSchema, encodeHistory(broken, held)).rootPromptMessagesJson,
    );
    expect(entry).toMatchObject({ content: [{ args: { input: "{oops" } }] });
  });
});

describe("blobs", () => {
  it("from the server are kept only under their true hash", () => {
    const blobs = new BlobStore(memoryShelf());
    const data = Buffer.from("content");
    const id = new BlobStore(memoryShelf()).put(() => data);
    expect(blobs.accept(id, Buffer.from("other"))).toBe(false);
    expect(blobs.get(id)).toBeUndefined();
    expect(blobs.accept(id, data)).toBe(true);
    expect(blobs.get(id)).toEqual(data);
  });

  it("are made again from the messages where nobody has kept them, until the messages are let go of", () => {
    const blobs = new BlobStore({ get: () => undefined, put: () => {} });
    const kept = new BlobStore(memoryShelf());
    const encode = (into: BlobStore) =>
      fromBinary(ConversationStateStructureSchema, encodeHistory(messages, into)).rootPromptMessagesJson;
    const ids = encode(blobs);
    expect(entries(blobs, ids)).toEqual(entries(kept, encode(kept)));
    blobs.letGoOfMessages();
    expect(ids.map((id) => blobs.get(id))).toEqual(ids.map(() => undefined));
  });
});
