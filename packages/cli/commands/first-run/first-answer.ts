import { shownOn } from "@curlew/gateway/system/shown-on.js";
import { anySignal } from "@curlew/gateway/turn/any-signal.js";
import { reasonOf } from "@curlew/gateway/turn/reason-of.js";
import { z } from "zod";
import { version } from "../../app/version.js";
import type { LogStream } from "../../log/log-output.js";
import type { Colors } from "../../terminal/print.js";

const QUESTION = "Say hello in one short sentence.";
/** A first answer takes seconds; an agent that thinks for long takes longer. */
const ANSWER_MS = 120_000;

const Frame = z.looseObject({
  choices: z.array(z.looseObject({ delta: z.looseObject({ content: z.string().nullish() }).optional() })).default([]),
  error: z.looseObject({ message: z.string() }).optional(),
});
const Failure = z.looseObject({ error: z.looseObject({ message: z.string() }) });

interface Asked {
  readonly url: string;
  readonly key: string | undefined;
  readonly model: string;
  readonly signal: AbortSignal;
  readonly colors: Colors;
}

/** Asks the gateway a question as a client would, and streams the answer. Returns the reason if it fails. */
export async function askFirst(
  { url, key, model, signal, colors }: Asked,
  output: LogStream,
): Promise<string | undefined> {
  const { dim } = colors;
  output.write(`${dim(`You: ${QUESTION}`)}\n${dim(`${shownOn(output, model)}: `)}`);
  let endsInLine = true;
  try {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": `curlew/${version}`,
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ model, stream: true, messages: [{ role: "user", content: QUESTION }] }),
      signal: anySignal([signal, AbortSignal.timeout(ANSWER_MS)]),
      redirect: "error",
    });
    if (!response.ok) return shownOn(output, Failure.parse(await response.json()).error.message);
    for await (const { choices, error } of framesOf(response)) {
      if (error !== undefined) return shownOn(output, error.message);
      const text = choices[0]?.delta?.content ?? "";
      output.write(shownOn(output, text));
      if (text !== "") endsInLine = !text.endsWith("\n");
    }
    return undefined;
  } catch (thrown) {
    return reasonOf(thrown);
  } finally {
    if (endsInLine) output.write("\n");
  }
}

async function* framesOf(response: Response): AsyncGenerator<z.infer<typeof Frame>> {
  let rest = "";
  for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = `${rest}${text}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const json = /^data: (\{.*)$/.exec(line)?.[1];
      if (json !== undefined) yield Frame.parse(JSON.parse(json));
    }
  }
}
