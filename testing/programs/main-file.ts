import { fileURLToPath } from "node:url";

/** The built program. */
export const mainFile = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
