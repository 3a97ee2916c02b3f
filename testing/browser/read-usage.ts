import type { PlanAnswerBody, UsageAnswer } from "../../packages/page/access/contract.js";

type Usage = UsageAnswer & Pick<PlanAnswerBody, "plan">;

/** The gateway's answer at `/v1/usage`. */
export async function readUsage(url: string, by: UsageAnswer["by"], days: number, key?: string): Promise<Usage> {
  const headers = { ...(key !== undefined && { authorization: `Bearer ${key}` }) };
  const answer = await fetch(`${url}/v1/usage?by=${by}&days=${days}`, { headers });
  if (!answer.ok) throw new Error(`/v1/usage: ${answer.status}`);
  return answer.json();
}

/** The whole numbers in a text, such as 12,345. */
export function numbersIn(text: string | null): number[] {
  return [...(text ?? "").matchAll(/\d{1,3}(?:,\d{3})+|\d+/g)].map(([digits]) => Number(digits.replaceAll(",", "")));
}
