import { type Batch, rewriteBatch, type Step, type TurnEvent, toText } from "../../turn/event.js";

const openingTags = ["<think>", "<thinking>"];
/** White space before a tag is held with it, so its length is bounded. */
const MAX_LEAD_CHARACTERS = 64;

/** Turns thinking in tags at the beginning of a reply into events. White space around the tags goes too: it would be an empty text block. */
export class ThinkTags implements Step {
  #stage: "before" | "inside" | "after" | "done" = "before";
  /** Before: white space and the beginning of a tag. Inside: the beginning of the closing tag. */
  #held = "";
  #closingTag = "";

  push(batch: Batch): Batch {
    return this.#stage === "done" ? batch : rewriteBatch(batch, this.#rewritten);
  }

  end(): Batch {
    const isThinking = this.#stage === "inside";
    const held = this.#held;
    this.#stage = "done";
    this.#held = "";
    return toText(held, isThinking ? "thinking" : "text");
  }

  readonly #rewritten = (event: TurnEvent): Batch | "keep" => {
    switch (event.type) {
      case "text":
        return this.#text(event.delta);
      case "usage":
      case "checkpoint":
        return "keep";
      case "thinking":
        // Real thinking may come first. It never comes in the middle of a tag.
        return this.#held === "" ? "keep" : [...this.end(), event];
      default: {
        const held = this.end();
        return held.length === 0 ? "keep" : [...held, event];
      }
    }
  };

  #text(delta: string): Batch | "keep" {
    switch (this.#stage) {
      case "before":
        return this.#beforeTag(delta);
      case "inside":
        return this.#insideTag(delta);
      case "after":
        return this.#behindTag(delta);
      case "done":
        return "keep";
    }
  }

  #beforeTag(delta: string): Batch | "keep" {
    const all = this.#held + delta;
    const tail = all.trimStart();
    const mayOpen = all.length - tail.length <= MAX_LEAD_CHARACTERS;
    const tag = mayOpen ? openingTags.find((opening) => tail.startsWith(opening)) : undefined;
    if (tag !== undefined) {
      this.#stage = "inside";
      this.#held = "";
      this.#closingTag = `</${tag.slice(1)}`;
      return this.#insideTag(tail.slice(tag.length));
    }
    if (mayOpen && openingTags.some((opening) => opening.startsWith(tail))) {
      this.#held = all;
      return [];
    }
    this.#stage = "done";
    if (this.#held === "") return "keep";
    this.#held = "";
    return toText(all);
  }

  #insideTag(delta: string): Batch {
    const all = this.#held + delta;
    const end = all.indexOf(this.#closingTag);
    if (end !== -1) {
      this.#stage = "after";
      this.#held = "";
      return [...toText(all.slice(0, end), "thinking"), ...this.#behindTag(all.slice(end + this.#closingTag.length))];
    }
    const mark = all.lastIndexOf("<");
    const passed = mark !== -1 && this.#closingTag.startsWith(all.slice(mark)) ? mark : all.length;
    this.#held = all.slice(passed);
    return toText(all.slice(0, passed), "thinking");
  }

  #behindTag(delta: string): Batch {
    let start = 0;
    while (delta[start] === "\n" || delta[start] === "\r") start++;
    if (start < delta.length) this.#stage = "done";
    return toText(delta.slice(start));
  }
}
