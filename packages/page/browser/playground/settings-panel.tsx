import type { Chat } from "./chat/chat.js";
import { type ToolDraft, toolProblems } from "./chat/tool.js";

export function SettingsPanel({ chat }: { readonly chat: Chat }) {
  const { system, offersTool, tool } = chat.settings;
  return (
    <div class="playground-settings scrolls column gap-4 fills shrinks">
      <details open={system !== ""}>
        <summary>
          System prompt <span class="faint">{system.trim() === "" ? "none" : `${system.length} characters`}</span>
        </summary>
        <textarea
          aria-label="System prompt"
          class="control above-2"
          style={{ width: "100%" }}
          rows={6}
          maxLength={200_000}
          placeholder="You are terse. Answer in one sentence."
          value={system}
          onInput={({ currentTarget }) => chat.set({ system: currentTarget.value })}
        />
      </details>
      <section aria-label="Tool">
        <label class="playground-switch flex gap-3">
          <input
            type="checkbox"
            // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox exposes its state by itself
            role="switch"
            checked={offersTool}
            onChange={({ currentTarget }) => chat.set({ offersTool: currentTarget.checked })}
          />
          <span>
            <strong class="block">Offer a tool</strong>
            <span class="faint">When the model calls it, you enter the result.</span>
          </span>
        </label>
        {offersTool && <ToolEditor tool={tool} onChange={(change) => chat.set({ tool: { ...tool, ...change } })} />}
      </section>
    </div>
  );
}

interface ToolEditorProps {
  readonly tool: ToolDraft;
  readonly onChange: (change: Partial<ToolDraft>) => void;
}

function ToolEditor({ tool, onChange }: ToolEditorProps) {
  const problems = toolProblems(tool);
  const field = (name: keyof ToolDraft, maxLength: number) => ({
    value: tool[name],
    maxLength,
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      onChange({ [name]: currentTarget.value }),
  });
  const codeField = (name: keyof ToolDraft, maxLength: number) => ({
    ...field(name, maxLength),
    class: "mono",
    spellcheck: false,
  });
  const checked = (name: keyof typeof problems) => ({
    "aria-invalid": problems[name] !== undefined,
    "aria-describedby": `playground-tool-${name}`,
  });
  return (
    <div class="column gap-3 above-3">
      <label class="field column gap-1">
        Name
        <input {...codeField("name", 64)} {...checked("name")} />
      </label>
      <Mistake id="playground-tool-name" problem={problems.name} />
      <label class="field column gap-1">
        Description
        <input {...field("description", 2_000)} />
      </label>
      <label class="field column gap-1">
        Arguments, as JSON Schema
        <textarea rows={13} {...codeField("schema", 50_000)} {...checked("schema")} />
      </label>
      <Mistake id="playground-tool-schema" problem={problems.schema} />
      <label class="field column gap-1">
        Example result
        <textarea rows={2} {...codeField("example", 50_000)} />
      </label>
    </div>
  );
}

/** Always rendered, so that screen readers announce changes. */
function Mistake({ id, problem }: { readonly id: string; readonly problem: string | undefined }) {
  return (
    <p id={id} class="playground-mistake small" aria-live="polite">
      {problem}
    </p>
  );
}
