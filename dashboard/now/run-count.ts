import { some } from "../parts/format.js";

interface Runs {
  readonly replies: number;
  readonly waiting: number;
}

/** `2 replies and 1 waiting run` */
export function countRuns({ replies, waiting }: Runs): string {
  const parts = [
    ...(replies > 0 ? [some(replies, "reply", "replies")] : []),
    ...(waiting > 0 ? [some(waiting, "waiting run")] : []),
  ];
  return parts.length === 0 ? "all runs" : parts.join(" and ");
}
