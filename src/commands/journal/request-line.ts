import type { WriteStream } from "node:tty";
import { isFailure, type LedgerEntry } from "../../ledger/index.js";
import { RequestLines, type ShownRequest } from "../../ops/lines/index.js";
import { colorsFor } from "../line/colors.js";
import { harmless } from "../terminal/harmless.js";

const MAX_OUTCOME = 24;

/** One line for each request of the ledger, as wide as the stream. Each ends with a line break. */
export function requestLines(stream: Pick<WriteStream, "isTTY" | "columns">): (entry: LedgerEntry) => string {
  const columns = () => (stream.isTTY ? stream.columns : undefined);
  const lines = new RequestLines({ colors: colorsFor(stream), columns, hasDay: true });
  return (entry) => lines.line(shownRequest(entry));
}

function shownRequest(entry: LedgerEntry): ShownRequest {
  return { ...entry, tokens: entry.tokens ?? entry.context, verdict: verdictOf(entry.outcome) };
}

function verdictOf(outcome: string): ShownRequest["verdict"] {
  if (isFailure(outcome)) return { level: "error", text: harmless(outcome, MAX_OUTCOME) };
  return outcome === "client-left" ? { level: "info", text: "canceled by the client" } : null;
}
