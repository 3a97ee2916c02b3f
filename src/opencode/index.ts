import { type Hooks, server } from "./version-1.js";
import { type Cleanup, type PluginContext, setup } from "./version-2.js";

/** OpenCode's plugin: OpenCode 1 calls `server`, OpenCode 2 `setup`. Both look at the default export alone. */
const plugin: {
  readonly id: string;
  server(): Promise<Hooks>;
  setup(context: PluginContext): Promise<Cleanup | undefined>;
} = { id: "curlew", server, setup };

// This is the only export: OpenCode 1 takes every other one for a plugin of its own.
// biome-ignore lint/style/noDefaultExport: OpenCode asks for it
export default plugin;
