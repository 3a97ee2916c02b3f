// Rules that GitHub's own parser does not enforce.
import { isMap, isScalar, LineCounter, parseDocument, visit } from "yaml";

const PINNED = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/;
/** Commands that may run what was installed or checked out. */
const FOREIGN_CODE = /\b(?:npx|node|make)\b|\bnpm (?!publish\b)|\.\/\S+\.(?:sh|[cm]?js)\b/;
const VERSION = /^ v\d+\.\d+\.\d+$/;

/** What is wrong with a workflow, each as a sentence with its line. */
export function judgeWorkflow(text) {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const faults = [];
  const fault = (node, what) => faults.push({ line: node?.range ? lines.linePos(node.range[0]).line : 1, what });

  if (!isMap(document.contents)) {
    fault(document.contents, "it is empty");
    return faults;
  }
  if (document.get("permissions") === undefined) fault(document.contents, "it does not limit its permissions");
  for (const { value } of permissionsOf(document)) {
    if (!isMap(value)) fault(value, "permissions are named one by one");
  }
  for (const { value: job } of document.get("jobs")?.items ?? []) {
    if (!job.has("permissions")) fault(job, "a job does not name its permissions");
    if (mayPublish(job)) {
      for (const step of job.get("steps")?.items ?? []) {
        const isCheckout = String(step.get("uses") ?? "").startsWith("actions/checkout@");
        if (isCheckout || FOREIGN_CODE.test(step.get("run") ?? ""))
          fault(step, "a job that may publish installs, builds or runs code of a checkout");
      }
    }
    if (!job.has("timeout-minutes")) fault(job, "a job has no time limit");
    if (/-latest$/.test(job.get("runs-on") ?? "")) fault(job, "a job runs on an image that changes by itself");
  }
  visit(document, {
    Pair(_, { key, value }) {
      if (!isScalar(key)) return;
      if (key.value === "pull_request_target")
        fault(key, "pull_request_target runs with rights that strangers may use");
      if (key.value === "uses") judgeAction(value, fault);
      // A shell would run it: a branch could be named `$(...)`. Through `env` it is only text.
      if (key.value === "run" && value.value.includes("${{")) fault(value, "an expression is written into a script");
    },
    Map(_, step) {
      const isCheckout = String(step.get("uses") ?? "").startsWith("actions/checkout@");
      if (isCheckout && step.getIn(["with", "persist-credentials"]) !== false)
        fault(step, "a checkout leaves its token for later steps");
    },
  });
  return faults;
}

function mayPublish(job) {
  return ["id-token", "contents"].some((name) => job.getIn(["permissions", name]) === "write");
}

function permissionsOf(document) {
  const jobs = document.get("jobs")?.items.map(({ value }) => value) ?? [];
  return [document.contents, ...jobs].flatMap(({ items }) => items.filter(({ key }) => key.value === "permissions"));
}

function judgeAction(action, fault) {
  if (action.value.startsWith("./")) return;
  if (!PINNED.test(action.value)) fault(action, `${action.value} is not pinned to a commit`);
  else if (!VERSION.test(action.comment ?? "")) fault(action, `${action.value} does not say its version`);
}
