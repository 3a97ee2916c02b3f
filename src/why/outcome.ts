import type { AbandonedRun } from "../events/index.js";
import type { JournalDetail, LedgerEntry } from "../ledger/index.js";
import type { ErrorCode } from "../turn/error.js";
import { durationText, some } from "./amounts.js";
import type { Paragraph } from "./paragraph.js";
import { isErrorCode, remedies } from "./remedies.js";

/** How a request ended, unless its reply is simply complete. */
export function explainOutcome(entry: LedgerEntry, detail: JournalDetail | undefined): Paragraph[] {
  return [...failure(entry), ...retried(entry), ...joined(detail), ...abandoned(entry, detail)];
}

/** Failures by which Curlew keeps a request from Cursor because its owner wants that. */
const refusals: ReadonlySet<ErrorCode> = new Set(["quota_exceeded", "confirm_cold"]);

function failure({ outcome, message, firstByteMs, totalMs }: LedgerEntry): Paragraph[] {
  if (outcome === "ok") return [];
  if (outcome === "client-left") {
    const when = totalMs === null ? "" : ` after ${durationText(totalMs)}`;
    const got = firstByteMs === null ? "before the reply had begun" : "in the middle of the reply";
    return [
      {
        topic: "client-left",
        what: `The client closed the connection${when}, ${got}.`,
        advice:
          firstByteMs === null
            ? "If nobody pressed stop, raise the client's timeout, or have it ask for a stream (stream: true), which begins sooner."
            : "If nobody pressed stop, raise the timeouts of the client and of any proxy before the gateway.",
      },
    ];
  }
  if (outcome === "interrupted") {
    return [
      {
        topic: "interrupted",
        what: "The gateway's process ended before this request did: it was killed, it crashed, or the machine went down.",
        advice:
          "Send the message again; the conversation goes on from what was stored. If nobody stopped the gateway, look at its log (curlew service logs).",
      },
    ];
  }
  const words = message === null ? "." : `: ${message}`;
  if (!isErrorCode(outcome)) return [{ topic: "unknown", what: `It ended with ${outcome}${words}`, advice: null }];
  const verb = refusals.has(outcome) ? "Curlew refused it with" : "It failed with";
  return [{ topic: outcome, what: `${verb} ${outcome}${words}`, advice: remedies[outcome] }];
}

const retriedEnds: Readonly<Record<string, string>> = {
  ok: "before it could be answered",
  "client-left": "before the client left",
  interrupted: "before the gateway's process ended",
};

function retried({ retries, runs, outcome }: LedgerEntry): Paragraph[] {
  if (retries === 0) return [];
  const end = retriedEnds[outcome] ?? "and it failed in the end";
  return [
    {
      topic: "retries",
      what: `Curlew had to repeat it ${retries === 1 ? "once" : `${some(retries, "time")}`} at Cursor (${some(runs, "run")}) ${end}.`,
      advice:
        retries === 1
          ? null
          : "Many retries mean that Cursor or the way to it is in trouble: run curlew doctor --live.",
    },
  ];
}

function joined(detail: JournalDetail | undefined): Paragraph[] {
  if (detail?.joined == null) return [];
  return [
    {
      topic: "joined",
      what: `This request is a repetition of ${detail.joined} and got that one's reply. No second run was started, and nothing is counted twice.`,
      advice:
        "If this happens often, the connection to the gateway breaks or the client gives up too early: raise the timeouts of the client and of any proxy between them.",
    },
  ];
}

/** The run that the request left waiting for tool results was given up, so that Cursor never said what the turn took. */
function abandoned({ abandoned: reason }: LedgerEntry, detail: JournalDetail | undefined): Paragraph[] {
  if (reason === null) return [];
  const calls = detail?.clientCalls ?? 0;
  const { what, advice } = isGivenUp(reason) ? givenUp[reason] : { what: `: ${reason}`, advice: null };
  const end = calls === 0 ? "The reply ended with tool calls" : `The reply ended with ${some(calls, "tool call")}`;
  return [{ topic: "abandoned", what: `${end}, and the run that waited for the results was given up${what}.`, advice }];
}

const leaseAdvice =
  "A run waits for results as long as leaseMs says (15 minutes by default, but one minute where the request forced its only tool). Raise it if your tools take longer; a client that stops should still answer its open calls, if only with an error.";

/** Why a run that waited was given up, after the words "was given up". */
const givenUp: Readonly<Record<AbandonedRun["reason"], { readonly what: string; readonly advice: string | null }>> = {
  "lease-expired": { what: ", because none came in time", advice: leaseAdvice },
  superseded: {
    what: ", because the client sent another message instead",
    advice: "Let the client answer its open tool calls, if only with an error, before it sends the next message.",
  },
  lost: {
    what: ", because its connection to Cursor broke or the gateway was killed",
    advice: "If this happens often, run curlew doctor --live: something between you and Cursor cuts long connections.",
  },
  shutdown: { what: ", because the gateway stopped", advice: "Restart the gateway when no client is at work." },
  stopped: { what: " by curlew stop-all", advice: null },
};

function isGivenUp(reason: string): reason is AbandonedRun["reason"] {
  return Object.hasOwn(givenUp, reason);
}
