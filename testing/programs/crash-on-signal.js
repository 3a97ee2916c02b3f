// Loaded before the gateway: an error that nobody catches, as a bug would throw it.
process.on("SIGUSR2", () => {
  throw new Error("a bug");
});
