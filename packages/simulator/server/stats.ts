/** Counters for tests and comparisons: `GET /__sim/stats`. */
export interface Stats {
  /** HTTP/2 sessions that were opened. */
  sessions: number;
  runs: number;
  runsOpen: number;
  /** Distinct conversation ids since the reset. */
  conversations: number;
  /** Payload bytes of client messages on agent streams. */
  bytesIn: number;
  bytesOut: number;
  blobsRequested: number;
  /** Payload bytes of blobs that clients gave on request; a part of `bytesIn`. */
  blobBytesIn: number;
  blobsSet: number;
  /** Blobs whose ids are not the SHA-256 of their content. */
  blobsUnhashed: number;
  /** Checkpoints that were sent while calls waited for their results. */
  checkpointsStaged: number;
  execsAsked: number;
  /** Typed refusals count as answered. */
  execsAnswered: number;
  execsThrown: number;
  /** Answered requests whose streams the client had not closed when their run ended. */
  execsUnclosed: number;
  /** Requests that were open when their stream ended. */
  execsAbandoned: number;
  queriesAsked: number;
  queriesAnswered: number;
  queriesAbandoned: number;
  heartbeatsIn: number;
  resumes: number;
  cancelled: number;
  inputTokens: number;
  cacheReadTokens: number;
  /** Browser logins whose tokens were handed out. */
  logins: number;
  /** All requests for it, including refused ones, so that a client that hammers is visible. */
  exchanges: number;
  /** All requests for it, including refused ones. */
  refreshes: number;
}

export function emptyStats(): Stats {
  return {
    sessions: 0,
    runs: 0,
    runsOpen: 0,
    conversations: 0,
    bytesIn: 0,
    bytesOut: 0,
    blobsRequested: 0,
    blobBytesIn: 0,
    blobsSet: 0,
    blobsUnhashed: 0,
    checkpointsStaged: 0,
    execsAsked: 0,
    execsAnswered: 0,
    execsThrown: 0,
    execsUnclosed: 0,
    execsAbandoned: 0,
    queriesAsked: 0,
    queriesAnswered: 0,
    queriesAbandoned: 0,
    heartbeatsIn: 0,
    resumes: 0,
    cancelled: 0,
    inputTokens: 0,
    cacheReadTokens: 0,
    logins: 0,
    exchanges: 0,
    refreshes: 0,
  };
}
