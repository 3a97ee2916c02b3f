// Loaded before the gateway: throws an uncaught error, as a bug would.
process.on("SIGUSR2", () => {
  throw new Error("a bug");
});
