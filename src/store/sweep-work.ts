/**
 * The cost of the steps of a sweep, in microseconds as measured on a slow machine. Work is counted, not timed, so that a sweep
 * does the same on every machine.
 */
export const work = { row: 5, checkpoint: 15, blob: 25, kilobyte: 8, copiedKilobyte: 0.5 };

/** The work of recording a blob that has been read. */
export function blobWork(bytes: number): number {
  return work.blob + (bytes / 1024) * work.copiedKilobyte;
}

/** The work of following what a state or a blob names. */
export function walkWork(bytes: number): number {
  return 1 + (bytes / 1024) * work.kilobyte;
}
