import { commandMistakes } from "./command-mistakes.js";
import { cursorMistakes } from "./cursor-mistakes.js";
import { doorMistakes } from "./door-mistakes.js";
import type { Mistake } from "./mistake.js";
import { modelMistakes } from "./model-mistakes.js";

/** Beginners' mistakes, and the messages that they get. */
export const mistakes: readonly Mistake[] = [...modelMistakes, ...doorMistakes, ...cursorMistakes, ...commandMistakes];
