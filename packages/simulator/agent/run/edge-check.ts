import { Code } from "@connectrpc/connect";
import type { AgentRunRequest } from "@curlew/wire/gen/agent_v1_pb.js";
import { ErrorDetails_Error } from "@curlew/wire/gen/aiserver_v1_pb.js";
import type { SimulatorOptions } from "../../server/options.js";
import { refusal } from "../../server/refusal.js";
import { BrokenOff } from "./turn.js";

/** Anything longer in the place of an id is the content itself. */
const ID_BYTES = 32;

/**
 * Refuses what Cursor refuses before the service itself sees a run (docs/protocol/live-behaviour.md).
 * @throws BrokenOff or ConnectError when the region or the size is wrong.
 */
export function checkAtEdge(request: AgentRunRequest, { region, maxInlineBytes }: SimulatorOptions): void {
  if (region === "silent") throw new BrokenOff("bare");
  if (region === "refused") {
    throw refusal(Code.PermissionDenied, ErrorDetails_Error.CUSTOM_MESSAGE, {
      detail: "This region is not yet available for your team",
    });
  }
  if (maxInlineBytes > 0 && inlineBytes(request) > maxInlineBytes) throw new BrokenOff("reset");
}

/** The bytes of the history that the request holds itself. */
function inlineBytes({ conversationState }: AgentRunRequest): number {
  const { rootPromptMessagesJson = [], turns = [] } = conversationState ?? {};
  let bytes = 0;
  for (const entry of [...rootPromptMessagesJson, ...turns]) if (entry.byteLength > ID_BYTES) bytes += entry.byteLength;
  return bytes;
}
