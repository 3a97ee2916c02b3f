import type { SessionAnswer, SessionQuestion } from "../../src/page/contract.js";
import { problemOf } from "./problem.js";

const STORED_AS = "curlew.proof";

/** The proof of the session, which goes with the cookie. Empty if there is none. */
export function proof(): string {
  try {
    return localStorage.getItem(STORED_AS) ?? "";
  } catch {
    return ""; // a browser that keeps nothing asks for a link each time
  }
}

export function forgetProof(): void {
  try {
    localStorage.removeItem(STORED_AS);
  } catch {
    // there is nothing to forget
  }
}

/** Opens the page with a link or a key. @throws Problem when the gateway refuses it, or cannot be reached */
export async function openSession(question: SessionQuestion): Promise<void> {
  const answer = await fetch("/admin/api/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(question),
  });
  if (!answer.ok) throw await problemOf(answer);
  const { proof: given }: SessionAnswer = await answer.json();
  localStorage.setItem(STORED_AS, given);
}

/** Takes the secret of a link out of the address, so that it is in no history and on no screen. */
export function takeLink(): string | undefined {
  const link = /^#open=([\w-]{1,200})$/.exec(location.hash)?.[1];
  if (link !== undefined) history.replaceState(null, "", location.pathname);
  return link;
}
