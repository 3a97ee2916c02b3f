import type { ChatBody, ChatMessage } from "./request-body.js";

export interface CurlOptions {
  /** Of the gateway: `http://127.0.0.1:32124` */
  readonly origin: string;
  readonly asksForKey: boolean;
}

/** Characters that JSON allows as they are, and that do something else than show in a terminal. */
const UNSAFE = /(?!\n)\p{Cc}|[\u2028-\u202e\u2066-\u2069]/gu;
const DATA_URL_CHARS = 48;

/** A request as a command. The body goes in by standard input: arguments are bounded, and quotes in it would end them. */
export function toCurl(body: ChatBody, { origin, asksForKey }: CurlOptions): string {
  const json = JSON.stringify(body, null, 2).replace(UNSAFE, escaped);
  return [
    `curl -N ${origin}/v1/chat/completions \\`,
    "  -H 'content-type: application/json' \\",
    ...(asksForKey ? ["  -H 'authorization: Bearer YOUR_KEY' \\"] : []),
    "  --data-binary @- <<'JSON'",
    json,
    "JSON",
  ].join("\n");
}

/** The same request for looking at: of images it has only the beginning of their data. */
export function withShortImages(body: ChatBody): ChatBody {
  return { ...body, messages: body.messages.map(shorten) };
}

function shorten(message: ChatMessage): ChatMessage {
  if (message.role !== "user" || typeof message.content === "string") return message;
  const content = message.content.map((part) =>
    part.type === "text" ? part : { ...part, image_url: { url: `${part.image_url.url.slice(0, DATA_URL_CHARS)}…` } },
  );
  return { ...message, content };
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
