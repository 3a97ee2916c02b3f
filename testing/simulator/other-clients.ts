import { create } from "@bufbuild/protobuf";
import { GRPC_WEB } from "../../packages/simulator/agent/transport/dialect.js";
import { ConversationActionSchema } from "../../packages/wire/gen/agent_v1_pb.js";
import type { ClientHabits, RunInit } from "./agent-client.js";

/** A client that is not Cursor's own: how it talks, and how it begins a conversation. */
export interface OtherClient {
  name: string;
  habits(): ClientHabits;
  first(text: string): RunInit;
  /** The code with which its first turn ends where the simulator is strict. */
  strictCode: string;
}

const greeting = { role: "system", content: "You are a recorded client." };
const greetingJson = Buffer.from(JSON.stringify(greeting));
const greetingKey = Buffer.from("system-prompt-1");

/** A request context as some clients send it with the user's message, and then answer no question about it. */
function withContext(text: string): RunInit {
  const env = { osVersion: "linux 6.8", shell: "bash", workspacePaths: ["/work"], timeZone: "UTC" };
  const value = { userMessage: { text }, requestContext: { env } };
  return { action: create(ConversationActionSchema, { action: { case: "userMessageAction", value } }) };
}

function withVersion(version: string): OtherClient {
  const headers = { "x-cursor-client-type": "cli", "x-cursor-client-version": version };
  return {
    name: `calls itself ${version}`,
    habits: () => ({ headers }),
    first: () => ({}),
    strictCode: "permission_denied",
  };
}

/**
 * Clients that work with Cursor but differ from its own, each in one way, as recorded from them (docs/protocol/other-clients.md).
 */
export const otherClients: readonly OtherClient[] = [
  {
    name: "leaves the streams of its results open",
    habits: () => ({ closesExecs: false }),
    first: () => ({}),
    strictCode: "deadline_exceeded",
  },
  {
    name: "puts the JSON of a message where its id belongs",
    habits: () => ({}),
    first: () => ({ conversationState: { rootPromptMessagesJson: [greetingJson] } }),
    strictCode: "internal",
  },
  {
    name: "names its blobs by keys that are no hashes",
    habits: () => ({ blobs: new Map([[greetingKey.toString("hex"), greetingJson]]) }),
    first: () => ({ conversationState: { rootPromptMessagesJson: [greetingKey] } }),
    strictCode: "internal",
  },
  {
    name: "frames its appends as gRPC-Web",
    habits: () => ({ transport: "h1", headers: { "content-type": GRPC_WEB } }),
    first: () => ({}),
    strictCode: "4",
  },
  {
    name: "sends its context with the message and answers no question about it",
    habits: () => ({ silent: ["context"] }),
    first: withContext,
    strictCode: "deadline_exceeded",
  },
  withVersion("2026.06.24-00-45-58-9f61de7"),
  withVersion("2026.06.12-19-59-36-f6aba9a"),
  withVersion("cli-2026.09.02-fa0c06e-lab"),
  withVersion("cli-unknown"),
];
