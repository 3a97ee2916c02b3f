/**
 * What the steps of a sweep cost, in microseconds as measured on a slow machine. Work is counted and not timed, so that a sweep
 * does the same anywhere.
 */
export const work = { row: 5, checkpoint: 15, blob: 25, kilobyte: 8, copiedKilobyte: 0.5 };

/** For entering a blob that has been read for it. */
export function blobWork(bytes: number): number {
  return work.blob + (bytes / 1024) * work.copiedKilobyte;
}

/** For following what a state or a blob names. */
export function walkWork(bytes: number): number {
  return 1 + (bytes / 1024) * work.kilobyte;
}
