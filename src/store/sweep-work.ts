/** The cost of the steps of a sweep, in microseconds. It is counted, not timed, so that a sweep is the same everywhere. */
export const work = { row: 5, checkpoint: 15, blob: 25, kilobyte: 8, copiedKilobyte: 0.5 };

export function blobWork(bytes: number): number {
  return work.blob + (bytes / 1024) * work.copiedKilobyte;
}

export function walkWork(bytes: number): number {
  return 1 + (bytes / 1024) * work.kilobyte;
}
