import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import type { ConversationStateStructure } from "../../../gen/agent_v1_pb.js";

const CHECKPOINT_FIELD = 3; // AgentServerMessage.conversation_checkpoint_update

export interface CheckpointFacts {
  /** Byte for byte as it came: the server must get back what it does not share with us, too. */
  state: Uint8Array;
  /** Tool calls whose results the model waits for, each with its id somewhere in it. */
  pendingCalls: readonly string[];
  /** How much of the model's context is in use; 0 when it does not say. */
  contextTokens: number;
}

export function readCheckpoint(state: ConversationStateStructure, message: Uint8Array): CheckpointFacts {
  return {
    state: rawField(message, CHECKPOINT_FIELD),
    pendingCalls: state.pendingToolCalls,
    contextTokens: state.tokenDetails?.usedTokens ?? 0,
  };
}

function rawField(message: Uint8Array, field: number): Uint8Array {
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === field && wireType === WireType.LengthDelimited) return Uint8Array.from(reader.bytes());
    reader.skip(wireType, number);
  }
  return new Uint8Array();
}
