export function installClient(command: "opencode" | "claude"): Promise<string>;
