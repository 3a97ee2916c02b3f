// Runs one step of a case with the SDK, on the Node version that the SDK needs. Started by run-case.js, which gets the
// outcome as a message.
import { cases } from "./cases.js";

const { module, caseName, step, cwd, store, apiKey, earlier } = JSON.parse(process.argv[2]);
const sdk = await import(module);

const local = { cwd, store: oneByOne(new sdk.JsonlLocalAgentStore(store)), settingSources: ["project"] };
const client = {
  sdk,
  cwd,
  apiKey,
  options: ({ local: more, ...rest } = {}) => ({
    apiKey,
    model: { id: "auto" },
    ...rest,
    local: { ...local, ...more },
  }),
  earlier,
};

let outcome;
try {
  const { steps } = cases.find(({ name }) => name === caseName);
  outcome = { value: await steps[step](client) };
} catch (thrown) {
  outcome = { error: thrown instanceof Error ? thrown.stack : String(thrown) };
}
// Exits explicitly: the SDK keeps connections and timers open for a while.
process.send(outcome, () => process.exit(0));

/** Serialises the calls of the store: 1.0.18 reads a file while rewriting it, and then misses entries. */
function oneByOne({ agents, checkpoints, runs, runEvents }) {
  let last = Promise.resolve();
  const inTurn = (part) =>
    new Proxy(part, {
      get: (target, name) => (input) => {
        const result = last.then(() => target[name](input));
        last = result.catch(() => {});
        return result;
      },
    });
  return {
    agents: inTurn(agents),
    checkpoints: inTurn(checkpoints),
    runs: inTurn(runs),
    runEvents: inTurn(runEvents),
  };
}
