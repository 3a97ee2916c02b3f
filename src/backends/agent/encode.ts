import { randomUUID } from "node:crypto";
import { create, toBinary } from "@bufbuild/protobuf";
import {
  AgentClientMessageSchema,
  type ConversationAction,
  ConversationActionSchema,
  ConversationStateStructureSchema,
  type SelectedImage,
  SelectedImageSchema,
} from "../../gen/agent_v1_pb.js";
import { joinText } from "../../turn/blocks.js";
import type { Turn, UserMessage } from "../../turn/turn.js";
import type { BlobStore } from "./blobs.js";
import { encodeEnvelope } from "./envelope.js";
import { encodeHistory } from "./history.js";

export type ClientMessage = NonNullable<
  NonNullable<Parameters<typeof create<typeof AgentClientMessageSchema>>[1]>["message"]
>;

export function encodeMessage(message: ClientMessage): Buffer {
  return encodeEnvelope(toBinary(AgentClientMessageSchema, create(AgentClientMessageSchema, { message })));
}

/** `3a 00` in its envelope: the one message that is sent over and over. */
export const heartbeatFrame: Buffer = encodeMessage({ case: "clientHeartbeat", value: {} });

interface RunFacts {
  turn: Turn;
  model: string;
  conversationId: string;
  originalRequestId: string;
  blobs: BlobStore;
}

/** The first message of a stream: what was said before as state, what is new as action. */
export function encodeRun({ turn, model, conversationId, originalRequestId, blobs }: RunFacts): Buffer {
  const newest = turn.messages.at(-1);
  const isUserLast = newest?.role === "user";
  const before = isUserLast ? turn.messages.slice(0, -1) : turn.messages;
  return encodeMessage({
    case: "runRequest",
    value: {
      // Must be present even when empty.
      conversationState: before.length === 0 ? create(ConversationStateStructureSchema) : encodeHistory(before, blobs),
      action: isUserLast ? userAction(newest) : resumeAction(),
      // The newer field, and the older one that some accounts still want for the automatic choice.
      requestedModel: { modelId: model },
      modelDetails: { modelId: model, displayModelId: model, displayName: model, displayNameShort: model },
      mcpTools: {},
      conversationId,
      clientSupportsInlineImages: true,
      runId: originalRequestId,
    },
  });
}

function userAction(message: UserMessage): ConversationAction {
  const images = message.content.flatMap((block) => (block.type === "image" ? [encodeImage(block)] : []));
  return create(ConversationActionSchema, {
    action: {
      case: "userMessageAction",
      value: {
        userMessage: {
          text: joinText(message.content),
          messageId: randomUUID(),
          ...(images.length > 0 && { selectedContext: { selectedImages: images } }),
        },
      },
    },
  });
}

/** For a transcript that ends with the model's own words or with results: nothing new is said, the model goes on. */
function resumeAction(): ConversationAction {
  return create(ConversationActionSchema, { action: { case: "resumeAction", value: {} } });
}

function encodeImage({ data, mimeType }: { data: Uint8Array; mimeType: string }): SelectedImage {
  return create(SelectedImageSchema, {
    dataOrBlobId: { case: "data", value: data },
    uuid: randomUUID(),
    mimeType,
  });
}
