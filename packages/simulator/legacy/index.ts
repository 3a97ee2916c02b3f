import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorDetails_Error } from "@curlew/wire/gen/aiserver_v1_pb.js";
import { badToken } from "../server/admission.js";
import { pathOf, type SimRequest, type SimResponse, send } from "../server/node-http.js";
import { refusal, sendRefusal } from "../server/refusal.js";
import type { JournalEntry, World } from "../server/world.js";
import { answerChat } from "./answer.js";
import { endFrame, openChannel } from "./channel.js";
import { checksumProblem } from "./checksum.js";
import { type Dialect, streamChat, unifiedChat, unifiedChatWithTools } from "./dialect.js";

export interface Legacy {
  /** Returns false when the path is not one of the old chat calls. */
  handle(request: SimRequest, response: SimResponse, entry: JournalEntry): boolean;
}

const STREAM_TYPE = "application/connect+proto";

/** "mute" calls accept the request and never answer, as Cursor's have done since 2026. "deprecated" calls refuse at once. */
const chatCalls: Readonly<Record<string, Dialect | "mute" | "deprecated">> = {
  "/aiserver.v1.AiService/StreamChat": streamChat,
  "/aiserver.v1.AiService/StreamChatWeb": "deprecated",
  "/aiserver.v1.AiService/StreamChatContext": "deprecated",
  "/aiserver.v1.AiService/StreamChatDeepContext": "deprecated",
  "/aiserver.v1.AiService/TaskStreamChatContext": "deprecated",
  "/aiserver.v1.ChatService/StreamUnifiedChat": unifiedChat,
  "/aiserver.v1.ChatService/StreamUnifiedChatWithTools": unifiedChatWithTools,
  "/aiserver.v1.ChatService/StreamUnifiedChatWithToolsSSE": "mute",
  "/aiserver.v1.ChatService/StreamUnifiedChatWithToolsPoll": "mute",
};

/** The chat calls from before the agent protocol. */
export function createLegacy(world: World): Legacy {
  return {
    handle(request, response, entry) {
      const path = pathOf(request);
      const dialect = Object.hasOwn(chatCalls, path) ? chatCalls[path] : undefined;
      if (dialect === undefined) return false;
      const token = world.checkToken(request.headers.authorization);
      if (!token.isValid) {
        request.resume();
        sendRefusal(response, badToken(token.reason));
      } else if (request.headers["content-type"] !== STREAM_TYPE) {
        request.resume();
        send(response, 415, "text/plain", "");
      } else {
        response.writeHead(200, { "content-type": STREAM_TYPE, "connect-content-encoding": "gzip" });
        if (dialect === "mute" || world.options.legacy === "hanging") hang(request, response);
        else if (dialect === "deprecated") {
          request.resume();
          response.end(endFrame(deprecated(), false));
        } else void serve(request, response, entry, dialect);
      }
      return true;
    },
  };

  async function serve(
    request: SimRequest,
    response: SimResponse,
    entry: JournalEntry,
    dialect: Dialect,
  ): Promise<void> {
    const channel = openChannel(request, response, world.options.gzip);
    try {
      const first = await channel.next();
      if (first === undefined) throw new ConnectError("no request came", Code.InvalidArgument);
      const chat = dialect.readRequest(first);
      entry.messages.push(chat.json);
      if (world.options.legacy === "retired") throw retired(dialect);
      const refused = refuseClient(request);
      if (refused !== undefined) throw refused;
      await answerChat(chat, dialect, channel, world);
      channel.end(endFrame(undefined, true));
    } catch (thrown) {
      channel.end(endFrame(ConnectError.from(thrown, Code.Internal), world.options.legacy === "working"));
    }
  }

  function refuseClient({ headers }: SimRequest): ConnectError | undefined {
    if (world.options.deniedVersions.includes(String(headers["x-cursor-client-version"]))) return updateRequired();
    const text = (name: string) => (typeof headers[name] === "string" ? headers[name] : undefined);
    const problem = checksumProblem(text("x-cursor-checksum"), text("x-cursor-client-type"), world.options.checksum);
    if (problem === undefined) return undefined;
    return refusal(Code.PermissionDenied, ErrorDetails_Error.UNAUTHORIZED, {
      title: "Unauthorized request",
      detail: `x-cursor-checksum was not accepted: ${problem}.`,
    });
  }
}

function hang(request: SimRequest, response: SimResponse): void {
  request.resume();
  if ("flushHeaders" in response) response.flushHeaders(); // HTTP/2 has sent them already
}

function retired(dialect: Dialect): ConnectError {
  return dialect === streamChat ? deprecated() : updateRequired();
}

function deprecated(): ConnectError {
  return refusal(Code.FailedPrecondition, ErrorDetails_Error.DEPRECATED, {
    title: "Deprecated",
    detail: "This call is no longer supported.",
  });
}

/**
 * The number is that of an old rate limit; only the title says what is meant (docs/protocol/older-descriptions.md, framing and
 * errors).
 */
function updateRequired(): ConnectError {
  return refusal(Code.ResourceExhausted, ErrorDetails_Error.GPT_4_VISION_PREVIEW_RATE_LIMIT, {
    title: "Update Required",
    detail: "This version of the client is no longer supported. Please update to the latest version.",
  });
}
