import { type EntryFilter, type LedgerReader, searchInSlices } from "../ledger/index.js";
import type { RequestsAnswer } from "../page/contract.js";
import { pageEntry } from "./page-entry.js";

/** A search that has found too little by then is gone on with when somebody asks for more. */
const MAX_LOOKED = 50_000;

/** Which requests are listed, and from where on. */
export interface RequestsQuestion extends Pick<EntryFilter, "client" | "model" | "isFailed" | "limit"> {
  readonly before?: string;
}

export async function listRequests(reader: LedgerReader, question: RequestsQuestion): Promise<RequestsAnswer> {
  await reader.ready();
  const { entries, before } = await searchInSlices(reader, { ...question, maxLooked: MAX_LOOKED });
  return { entries: entries.map(pageEntry), before };
}
