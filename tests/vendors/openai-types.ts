import type { ChatCompletion, ChatCompletionChunk } from "openai/resources/chat/completions";
import type { Completion } from "openai/resources/completions";
import type { Conversation, ConversationDeletedResource } from "openai/resources/conversations/conversations";
import type { ConversationItemList } from "openai/resources/conversations/items";
import type { Model } from "openai/resources/models";
import type { ResponseItemList } from "openai/resources/responses/input-items";
import type { InputTokenCountResponse } from "openai/resources/responses/input-tokens";
import type { CompactedResponse, Response, ResponseStreamEvent } from "openai/resources/responses/responses";
import type { ErrorObject } from "openai/resources/shared";

/** What OpenAI's service sends, under the names that the tests use. */
export interface OpenAiReplies {
  chatCompletion: ChatCompletion;
  chatChunk: ChatCompletionChunk;
  completion: Completion;
  response: Response;
  responseEvent: ResponseStreamEvent;
  compaction: CompactedResponse;
  inputItems: ResponseItemList;
  conversation: Conversation;
  deletedConversation: ConversationDeletedResource;
  conversationItems: ConversationItemList;
  inputTokens: InputTokenCountResponse;
  model: Model;
  modelList: { object: string; data: Model[] };
  error: { error: ErrorObject };
}
