import { type Hooks, server } from "./version-1.js";
import { type Cleanup, type PluginContext, setup } from "./version-2.js";

/** OpenCode's plugin: OpenCode 1 calls `server`, OpenCode 2 `setup`. Both use only the default export. */
const plugin: {
  readonly id: string;
  server(): Promise<Hooks>;
  setup(context: PluginContext): Promise<Cleanup | undefined>;
} = { id: "curlew", server, setup };

// This is the only export: OpenCode 1 treats every other one as a separate plugin.
// biome-ignore lint/style/noDefaultExport: OpenCode asks for it
export default plugin;
