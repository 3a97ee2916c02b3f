import { Turnstile } from "../../system/turnstile.js";
import { GatewayError } from "../../turn/error.js";

const MiB = 1024 * 1024;

/** The memory of all requests under way: eight of the largest bodies, which a container of 1 GiB can afford. */
const TOTAL_BYTES = 256 * MiB;
/** The last quarter of the memory is reserved for requests below this, so that a few large ones cannot shut them out. */
const SMALL_BYTES = MiB;
const LARGE_SHARE = 3 / 4;
/** A compressed body is held twice while it is inflated, and both must fit into the share of large bodies. */
const LARGEST_BODIES = 3;
/** The size of an inflated body is known only at its end, so few are inflated at a time. */
const INFLATIONS = 2;
const RETRY_AFTER_MS = 5_000;

/** Accounts for the memory of all requests that are being read or answered. */
export class RequestMemory {
  readonly inflating = new Turnstile(INFLATIONS);
  readonly #maxBytes: number;
  #heldBytes = 0;
  #keptBytes = 0;
  /** Gives up what is kept for later requests. */
  onFull = () => {};

  constructor(bodyLimitBytes: number, totalBytes: number = TOTAL_BYTES) {
    this.#maxBytes = Math.max(totalBytes, LARGEST_BODIES * bodyLimitBytes);
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  hold(): MemoryHold {
    return new MemoryHold(this);
  }

  /** @throws {GatewayError} `overloaded`, if these bytes do not fit, beside the `before` that the request holds. */
  take(bytes: number, before: number): void {
    const largestBytes = before + bytes > SMALL_BYTES ? this.#maxBytes * LARGE_SHARE : this.#maxBytes;
    if (this.#heldBytes + this.#keptBytes + bytes > largestBytes) this.onFull();
    if (this.#heldBytes + this.#keptBytes + bytes > largestBytes) throw overloaded();
    this.#heldBytes += bytes;
  }

  release(bytes: number): void {
    this.#heldBytes -= bytes;
  }

  /** Counts what is kept for later requests. Requests under way come first. */
  keep(bytes: number): void {
    this.#keptBytes = bytes;
  }
}

/** The memory of one request, until the end of its answer. Only bytes that have arrived count, not an announced length. */
export class MemoryHold {
  readonly #memory: RequestMemory;
  #bytes = 0;

  constructor(memory: RequestMemory) {
    this.#memory = memory;
  }

  get bytes(): number {
    return this.#bytes;
  }

  take(bytes: number): void {
    this.#memory.take(bytes, this.#bytes);
    this.#bytes += bytes;
  }

  split(bytes: number): MemoryHold {
    const part = new MemoryHold(this.#memory);
    part.#bytes = Math.min(bytes, this.#bytes);
    this.#bytes -= part.#bytes;
    return part;
  }

  /** @throws {GatewayError} `overloaded`, if this many bytes do not fit right now. */
  check(bytes: number): void {
    this.take(bytes);
    this.release(bytes);
  }

  release(bytes: number = this.#bytes): void {
    this.#bytes -= bytes;
    this.#memory.release(bytes);
  }
}

function overloaded(): GatewayError {
  return new GatewayError(
    "overloaded",
    "This gateway is busy with other requests and has no memory left for this one. Try again in a moment.",
    { retryAfterMs: RETRY_AFTER_MS },
  );
}
