// Loaded before the gateway: throws an error that nobody catches, as a bug would.
process.on("SIGUSR2", () => {
  throw new Error("a bug");
});
