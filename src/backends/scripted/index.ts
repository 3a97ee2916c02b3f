export { playDirectives } from "./directives.js";
export { type Script, type ScriptedBackend, scriptedBackend } from "./scripted.js";
export { ScriptedExchange, type ScriptStep } from "./scripted-exchange.js";
export { userTurn } from "./user-turn.js";
