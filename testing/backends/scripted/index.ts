export { playDirectives } from "./directives.js";
export type { ScriptStep } from "./exchange.js";
export { type Script, type ScriptedBackend, scriptedBackend } from "./scripted.js";
export { memoryBlobs, startContext } from "./start-context.js";
export { userTurn } from "./user-turn.js";
