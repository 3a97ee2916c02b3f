import { CopyButton } from "../parts/copy.js";

/** A command to run in a terminal. */
export function Command({ text }: { readonly text: string }) {
  return (
    <span class="now-command">
      <code>{text}</code>
      <CopyButton text={text} what={`the command ${text}`} />
    </span>
  );
}
