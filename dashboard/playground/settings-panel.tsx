import "./settings.css";
import type { Chat } from "./chat/chat.js";
import { type ToolDraft, toolProblems } from "./chat/tool.js";

/** What goes with every request: a system prompt, and a tool that the person who tries it plays. */
export function SettingsPanel({ chat }: { readonly chat: Chat }) {
  const { system, offersTool, tool } = chat.settings;
  return (
    <div class="playground-settings">
      <details open={system !== ""}>
        <summary>
          System prompt <span class="faint">{system.trim() === "" ? "none" : `${system.length} characters`}</span>
        </summary>
        <textarea
          aria-label="System prompt"
          class="playground-input"
          rows={6}
          maxLength={200_000}
          placeholder="You are terse. Answer in one sentence."
          value={system}
          onInput={({ currentTarget }) => chat.set({ system: currentTarget.value })}
        />
      </details>
      <section aria-label="Tool">
        <label class="playground-switch">
          <input
            type="checkbox"
            // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox tells by itself whether it is checked
            role="switch"
            checked={offersTool}
            onChange={({ currentTarget }) => chat.set({ offersTool: currentTarget.checked })}
          />
          <span>
            <strong>Offer a tool</strong>
            <span class="faint">When the model calls it, you say what it returns.</span>
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
  return (
    <div class="playground-tool">
      <label class="field">
        Name
        <input
          class="mono"
          value={tool.name}
          maxLength={64}
          spellcheck={false}
          aria-invalid={problems.name !== undefined}
          aria-describedby="playground-tool-name"
          onInput={({ currentTarget }) => onChange({ name: currentTarget.value })}
        />
      </label>
      <Mistake id="playground-tool-name" problem={problems.name} />
      <label class="field">
        Description
        <input
          value={tool.description}
          maxLength={2_000}
          onInput={({ currentTarget }) => onChange({ description: currentTarget.value })}
        />
      </label>
      <label class="field">
        Arguments, as JSON Schema
        <textarea
          class="mono"
          rows={13}
          value={tool.schema}
          maxLength={50_000}
          spellcheck={false}
          aria-invalid={problems.schema !== undefined}
          aria-describedby="playground-tool-schema"
          onInput={({ currentTarget }) => onChange({ schema: currentTarget.value })}
        />
      </label>
      <Mistake id="playground-tool-schema" problem={problems.schema} />
      <label class="field">
        Example result
        <textarea
          class="mono"
          rows={2}
          value={tool.example}
          maxLength={50_000}
          spellcheck={false}
          onInput={({ currentTarget }) => onChange({ example: currentTarget.value })}
        />
      </label>
    </div>
  );
}

/** Always there, so that screen readers hear what comes into it. */
function Mistake({ id, problem }: { readonly id: string; readonly problem: string | undefined }) {
  return (
    <p id={id} class="playground-mistake" aria-live="polite">
      {problem}
    </p>
  );
}
