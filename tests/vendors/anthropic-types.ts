import type { PageResponse } from "@anthropic-ai/sdk/core/pagination";
import type { Message, MessageTokensCount, RawMessageStreamEvent } from "@anthropic-ai/sdk/resources/messages";
import type { ModelInfo } from "@anthropic-ai/sdk/resources/models";
import type { ErrorResponse } from "@anthropic-ai/sdk/resources/shared";

/** What Anthropic's service sends, under the names that the tests use. */
export interface AnthropicReplies {
  message: Message;
  messageEvent: RawMessageStreamEvent;
  tokenCount: MessageTokensCount;
  model: ModelInfo;
  modelList: PageResponse<ModelInfo>;
  error: ErrorResponse;
}
