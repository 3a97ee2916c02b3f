import { fileURLToPath } from "node:url";

/** The built program. */
export const mainFile = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
/** Runs the scripts that compare captures, from the sources. */
export const laboratoryFile = fileURLToPath(new URL("../../laboratory/run.js", import.meta.url));
