import "./bar.css";
import type { ModelsAnswer } from "../../src/page/contract.js";
import { Failed, Loading } from "../parts/states.js";
import type { Asked } from "../parts/use-answer.js";
import type { Chat } from "./chat/chat.js";
import { ModelPicker } from "./model-picker.js";

/** Who is asked: the model, and how hard it thinks if that can be chosen. */
export function Bar({ chat, asked }: { readonly chat: Chat; readonly asked: Asked<ModelsAnswer> }) {
  const { answer, problem, again } = asked;
  const { model, settings } = chat;
  if (answer === undefined)
    return (
      <div class="playground-bar">
        {problem === undefined ? <Loading what="the models" lines={1} /> : <Failed problem={problem} again={again} />}
      </div>
    );
  return (
    <div class="playground-bar">
      <ModelPicker models={answer.models} chosen={model} onChoose={(id) => chat.set({ model: id })} />
      {model !== undefined && model.efforts.length > 0 && (
        <label class="field playground-effort">
          <span class="playground-label">Effort</span>
          <select value={settings.effort} onChange={({ currentTarget }) => chat.set({ effort: currentTarget.value })}>
            <option value="">Default effort</option>
            {model.efforts.map((effort) => (
              <option key={effort} value={effort}>
                {effort}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  );
}
