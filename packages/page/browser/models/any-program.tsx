import { useState } from "preact/hooks";
import type { ClientsAnswer, PageModel } from "../../access/contract.js";
import { Card } from "../parts/card.js";
import { Code } from "../parts/copy.js";
import { Choices } from "../parts/tabs.js";

interface AnyProgramProps extends Pick<ClientsAnswer, "baseUrls" | "asksForKey"> {
  readonly models: readonly PageModel[];
  /** Shell lines that export the variables for the gateway. */
  readonly variables: readonly string[];
}

export function AnyProgram({ baseUrls, asksForKey, models, variables }: AnyProgramProps) {
  const [language, setLanguage] = useState<Language>("curl");
  const [model, setModel] = useState("auto");
  const listed = models.map(({ id }) => id);
  const ids = listed.includes("auto") ? listed : ["auto", ...listed];
  const key = asksForKey ? "YOUR_KEY" : "anything";
  return (
    <Card title="Anything else" aside="for your own programs">
      <div class="row wrap gap-3 below-4">
        <Choices label="Language" choices={languages} chosen={language} onChoose={setLanguage} />
        <label class="row gap-2 small soft weight-500 narrows apart">
          Model
          <select class="control" value={model} onChange={(event) => setModel(event.currentTarget.value)}>
            {ids.map((id) => (
              <option key={id}>{id}</option>
            ))}
          </select>
        </label>
      </div>
      <Code
        text={snippetOf(language, { baseUrl: baseUrls.openai, model, key })}
        what={`the program for ${languages[language]}`}
      />
      {variables.length > 0 && (
        <>
          <p class="small soft above-5 below">Many programs and the OpenAI and Anthropic SDKs read these variables:</p>
          <Code text={variables.join("\n")} what="the variables" />
        </>
      )}
    </Card>
  );
}

const languages = { curl: "curl", python: "Python", javascript: "JavaScript" } as const;
type Language = keyof typeof languages;

export function snippetOf(
  language: Language,
  { baseUrl, model, key }: Record<"baseUrl" | "model" | "key", string>,
): string {
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

/** JSON strings are valid in Python and JavaScript. */
const quoted = (text: string) => JSON.stringify(text);

/** Quotes a word for a shell: model names come from a server, and snippets are pasted into shells. */
function shellText(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
