export const languages = { curl: "curl", python: "Python", javascript: "JavaScript" } as const;
export type Language = keyof typeof languages;

interface Target {
  /** The base URL for clients that speak OpenAI's dialects. */
  readonly baseUrl: string;
  readonly model: string;
  readonly key: string;
}

/** A first request for programs that Curlew knows nothing about. */
export function snippetOf(language: Language, { baseUrl, model, key }: Target): string {
  switch (language) {
    case "curl": {
      const body = { model, messages: [{ role: "user", content: "Hello" }] };
      return [
        `curl ${shellText(`${baseUrl}/chat/completions`)}`,
        `-H ${shellText(`authorization: Bearer ${key}`)}`,
        `-H ${shellText("content-type: application/json")}`,
        `-d ${shellText(JSON.stringify(body))}`,
      ].join(" \\\n  ");
    }
    case "python":
      return `# pip install openai
from openai import OpenAI

client = OpenAI(base_url=${quoted(baseUrl)}, api_key=${quoted(key)})
reply = client.chat.completions.create(
    model=${quoted(model)},
    messages=[{"role": "user", "content": "Hello"}],
)
print(reply.choices[0].message.content)`;
    case "javascript":
      return `// npm install openai
import OpenAI from "openai";

const client = new OpenAI({ baseURL: ${quoted(baseUrl)}, apiKey: ${quoted(key)} });
const reply = await client.chat.completions.create({
  model: ${quoted(model)},
  messages: [{ role: "user", content: "Hello" }],
});
console.log(reply.choices[0].message.content);`;
  }
}

/** A string in JSON is one in Python and JavaScript too. */
const quoted = (text: string) => JSON.stringify(text);

/** One word of a shell, whatever it holds: names of models come from a server, and snippets are pasted into shells. */
function shellText(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
