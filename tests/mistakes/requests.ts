import type { Answer, Stage } from "./stage.js";

export const message = { role: "user", content: "hi" };
export const chat = { model: "auto", messages: [message] };

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text is sent as it is, everything else as JSON. */
  readonly body?: unknown;
  readonly variables?: Readonly<Record<string, string>>;
}

/** Sends one request to a gateway. The text is its error, or else its warnings and the model that answered. */
export async function send(
  stage: Stage,
  path: string,
  { body, headers, variables, method }: Sent = {},
): Promise<Answer> {
  const { url } = await stage.gateway(variables);
  const response = await fetch(url + path, {
    method: method ?? "POST",
    headers: { "content-type": "application/json", ...headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const said = await response.text();
  return { status: response.status, text: errorIn(said) ?? answerIn(said, response.headers) };
}

/** Asks through Chat Completions. */
export function ask(stage: Stage, content: unknown, more: object = {}): Promise<Answer> {
  return send(stage, "/v1/chat/completions", { body: { ...chat, messages: [{ role: "user", content }], ...more } });
}

function answerIn(said: string, headers: Headers): string {
  const { model }: { model: string } = JSON.parse(said);
  return `${headers.get("x-curlew-warnings") ?? ""} (answered by ${model})`.trim();
}

/** The error in any dialect, also as the last event of a stream. */
function errorIn(said: string): string | undefined {
  const [, inEvent] = /^data: (\{.*"error".*)$/m.exec(said) ?? [];
  const text = inEvent ?? said;
  if (!text.startsWith("{")) return undefined;
  const { error }: { error?: { message?: string } | string | null } = JSON.parse(text);
  return typeof error === "string" ? error : error?.message;
}
