// Loaded into a gateway whose memory is measured. Prints the memory in use after a garbage collection.
process.on("SIGUSR2", () => {
  globalThis.gc();
  globalThis.gc();
  const { rss, heapUsed, external } = process.memoryUsage();
  console.log(JSON.stringify({ rssKiB: rss / 1024, heldKiB: (heapUsed + external) / 1024 }));
});
