// One agent of Cursor's own SDK, in the Node version that it needs. It sends each prompt that it gets and reports the time to the
// first text.
const { module, apiKey, cwd, store } = JSON.parse(process.argv[2]);
const sdk = await import(module);
const local = { cwd, store: new sdk.JsonlLocalAgentStore(store), settingSources: ["project"] };
const agent = await sdk.Agent.create({ apiKey, model: { id: "auto" }, local });

process.on("message", async ({ text }) => {
  const startedMs = performance.now();
  let firstMs;
  const onDelta = ({ update }) => {
    if (update.type === "text-delta") firstMs ??= performance.now() - startedMs;
  };
  const run = await agent.send(text, { onDelta });
  const { status, error } = await run.wait();
  if (status !== "finished" || firstMs === undefined) throw new Error(`the SDK's turn is ${status}: ${error}`);
  process.send({ firstMs });
});
process.send({ isReady: true });
