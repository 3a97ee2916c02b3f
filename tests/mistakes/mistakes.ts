import { commandMistakes } from "./command-mistakes.js";
import { cursorMistakes } from "./cursor-mistakes.js";
import { doorMistakes } from "./door-mistakes.js";
import type { Mistake } from "./mistake.js";
import { modelMistakes } from "./model-mistakes.js";

/** What newcomers do wrong, and what they read then. */
export const mistakes: readonly Mistake[] = [...modelMistakes, ...doorMistakes, ...cursorMistakes, ...commandMistakes];
