// Other projects' clients of Cursor, unmodified from npm, against the default `curlew simulate` (docs/protocol/other-clients.md).
// They sign in and chat with the addresses that they have built in, in a network of their own. On a machine where that cannot be
// had, those with a setting for the server are run with it. About 650 MB of packages are kept in the system's temporary directory.
//   node tests/peers/run.js [--only WORDS] [--strict] [--outside] [--main FILE]
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startSimulator } from "../../testing/programs/start-simulator.js";
import { builtMain, Steps } from "../../testing/programs/steps.js";
import { installPeers, versions } from "./install.js";
import { AGENT_HOST, furnish, namespaceFault, runInNamespace, startFront } from "./namespace.js";
import { startPeer } from "./peer-process.js";
import { peers } from "./peers.js";
import { playTurns, turns } from "./turns.js";

/** An unanswered question ends the run after this time, so that a hanging client fails by name. */
const PATIENCE_MS = 20_000;
/** Nothing listens there: requests to the internet fail at once. */
const NOWHERE = "http://127.0.0.1:9";

const { values: flags } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    strict: { type: "boolean" },
    outside: { type: "boolean" },
    main: { type: "string" },
    certificate: { type: "string" },
    installed: { type: "string" },
  },
});
const main = builtMain(flags.main);

const steps = new Steps();
if (flags.certificate !== undefined) {
  await playAll(flags.installed, flags.certificate, furnish(flags.certificate));
} else {
  const installed = await steps.attempt("all  install", () => installPeers());
  const fault = flags.outside ? "--outside" : namespaceFault();
  if (installed === undefined) steps.report(2);
  else if (fault === undefined) {
    const script = fileURLToPath(import.meta.url);
    process.exitCode = await runInNamespace(script, [...process.argv.slice(2), "--installed", installed]);
  } else {
    console.log(`      No network of our own, so only clients with a setting for the server are played: ${fault}`);
    const environment = { HTTP_PROXY: NOWHERE, HTTPS_PROXY: NOWHERE, NO_PROXY: "127.0.0.1,localhost" };
    await playAll(installed, undefined, environment);
  }
}

async function playAll(folder, certificate, environment) {
  const played = peers
    .filter(({ name }) => name.includes(flags.only))
    .filter(({ hasNoSetting }) => certificate !== undefined || hasNoSetting !== true);
  for (const peer of played) await playPeer(peer, folder, certificate, environment);
  const columns = ["login", ...turns.map(({ name }) => name), "hosts"];
  steps.printTable("client", played.map(labelOf), columns, (label, turn) => `${label}  ${turn}`, wordOf);
  steps.report(2);
}

/** The result of a turn that fails by the client's own fault is the fault. */
function wordOf(value) {
  return typeof value === "string" ? "theirs" : "ok";
}

function labelOf({ name }) {
  return `${name} ${versions[name] ?? "as built"}`;
}

async function playPeer(peer, folder, certificate, environment) {
  const label = labelOf(peer);
  const home = mkdtempSync(join(certificate ?? tmpdir(), "curlew-peer-"));
  const options = ["--patience-ms", String(PATIENCE_MS), "--login", "wait", "--agent-url", `https://${AGENT_HOST}`];
  const simulator = await startSimulator(main, "h2", options, { isStrict: flags.strict === true });
  const front = certificate === undefined ? undefined : await startFront(certificate, simulator.url);
  const server = front === undefined ? { url: simulator.url } : { agree: signIn };
  const started = [];
  const run = (command, own = {}) => {
    started.push(startPeer(command, { home, environment: { ...environment, ...own } }));
    return started.at(-1);
  };
  const log = () => started.map((each) => each.log()).join("\n");
  try {
    const attempt = (name, act) => steps.attempt(`${label}  ${name}`, act, log);
    const open = await attempt(front === undefined ? "start" : "login", () =>
      peer.start({ folder, main, home, run, ...server }),
    );
    if (open === undefined) return;
    await playTurns(peer, open, attempt);
    if (front !== undefined) await attempt("hosts", () => assert.deepEqual(front.hosts(), peer.hosts));
    const { logins, runs, execsUnclosed, blobsUnhashed, resumes } = await simulator.stats();
    console.log(`      ${JSON.stringify({ logins, runs, execsUnclosed, blobsUnhashed, resumes })}`);
  } finally {
    for (const each of started) await each.stop();
    await front?.stop();
    await simulator.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Signs in like a person in a browser: opens the link, and presses the button of the page. */
async function signIn(link) {
  const page = await (await fetch(link)).text();
  const action = /<form action="([^"]+)">/.exec(page)?.[1];
  if (action === undefined) throw new Error(`The page of the login has no form: ${page}`);
  const fields = page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g);
  const body = JSON.stringify(Object.fromEntries([...fields].map(([, name, value]) => [name, value])));
  const headers = { "content-type": "application/json" };
  const answer = await fetch(new URL(action, link), { method: "POST", headers, body });
  if (!answer.ok) throw new Error(`The login was not accepted: ${answer.status} ${await answer.text()}`);
}
