import { server } from "./version-1.js";
import { setup } from "./version-2.js";

/** OpenCode's plugin: OpenCode 1 calls `server`, OpenCode 2 `setup`. Both look at the default export alone. */
// This is the only export: OpenCode 1 takes every other one for a plugin of its own.
// biome-ignore lint/style/noDefaultExport: OpenCode asks for it
export default { id: "curlew", server, setup };
