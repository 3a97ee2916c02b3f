import { useState } from "preact/hooks";
import type { ClientsAnswer, PageModel } from "../../src/page/contract.js";
import { Card } from "../parts/card.js";
import { Choices } from "../parts/choices.js";
import { Code } from "../parts/copy.js";
import { type Language, languages, snippetOf } from "./snippets.js";

interface AnyProgramProps extends Pick<ClientsAnswer, "baseUrls" | "asksForKey"> {
  readonly models: readonly PageModel[];
  /** What a shell is told so that programs find the gateway, line by line. */
  readonly variables: readonly string[];
}

/** A first request, for a program that is not in the list. */
export function AnyProgram({ baseUrls, asksForKey, models, variables }: AnyProgramProps) {
  const [language, setLanguage] = useState<Language>("curl");
  const [model, setModel] = useState("auto");
  const ids = models.some(({ id }) => id === "auto")
    ? models.map(({ id }) => id)
    : ["auto", ...models.map(({ id }) => id)];
  const key = asksForKey ? "YOUR_KEY" : "anything";
  return (
    <Card title="Anything else" aside="for your own programs">
      <div class="models-tools">
        <Choices label="Language" choices={languages} chosen={language} onChoose={setLanguage} />
        <label class="models-pick models-apart">
          Model
          <select value={model} onChange={(event) => setModel(event.currentTarget.value)}>
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
          <p class="models-variables">Many programs, and the SDKs of OpenAI and Anthropic, read these variables:</p>
          <Code text={variables.join("\n")} what="the variables" />
        </>
      )}
    </Card>
  );
}
