// Loaded before the command: its output goes to a terminal, as far as it can tell.
Object.defineProperty(process.stdout, "isTTY", { value: true });
Object.defineProperty(process.stderr, "isTTY", { value: true });
