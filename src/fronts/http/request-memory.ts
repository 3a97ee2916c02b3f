import { GatewayError } from "../../turn/error.js";
import { Turnstile } from "../../turnstile.js";

const MiB = 1024 * 1024;

/**
 * What all requests under way may hold together: eight of the largest bodies that the default allows, while one that is
 * parsed takes about twice its size for a moment. A gateway in a container of 1 GiB lives with that.
 */
const TOTAL_BYTES = 256 * MiB;
/** Nearly all requests are smaller. The last quarter is theirs alone, so that a few large ones do not shut them out. */
const SMALL_BYTES = MiB;
const LARGE_SHARE = 3 / 4;
/** A body that is sent compressed is here twice while it is inflated, and all of that has to fit the share. */
const LARGEST_BODIES = 3;
/** How much an inflated body takes is known only when it is whole, so few are inflated at a time. */
const INFLATIONS = 2;
const RETRY_AFTER_MS = 5_000;

/** The memory of all requests that are being read or answered. */
export class RequestMemory {
  readonly inflating = new Turnstile(INFLATIONS);
  readonly #maxBytes: number;
  #heldBytes = 0;

  constructor(bodyLimitBytes: number, totalBytes: number = TOTAL_BYTES) {
    this.#maxBytes = Math.max(totalBytes, LARGEST_BODIES * bodyLimitBytes);
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  hold(): MemoryHold {
    return new MemoryHold(this);
  }

  /** Throws when there is no room for so much more on top of what the same request holds. */
  take(bytes: number, before: number): void {
    const largestBytes = before + bytes > SMALL_BYTES ? this.#maxBytes * LARGE_SHARE : this.#maxBytes;
    if (this.#heldBytes + bytes > largestBytes) throw overloaded();
    this.#heldBytes += bytes;
  }

  release(bytes: number): void {
    this.#heldBytes -= bytes;
  }
}

/**
 * What one request holds, from its first byte to the end of its answer. Only bytes that are here count: a length that was
 * merely announced takes no room from others.
 */
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

  /** A hold of its own for so much of this one. */
  split(bytes: number): MemoryHold {
    const part = new MemoryHold(this.#memory);
    part.#bytes = Math.min(bytes, this.#bytes);
    this.#bytes -= part.#bytes;
    return part;
  }

  /** Throws when there is no room for so much right now. */
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
    "This gateway holds as much of other requests as it may, and has no room for this one. Try again in a moment.",
    { retryAfterMs: RETRY_AFTER_MS },
  );
}
