export { playDirectives } from "./directives.js";
export { type Script, type ScriptedBackend, scriptedBackend } from "./scripted.js";
export type { ScriptStep } from "./scripted-exchange.js";
export { memoryShelf, startContext } from "./start-context.js";
export { userTurn } from "./user-turn.js";
