/** Limits the memory of the answers that share a key, an organization or the process. */

/** The bytes by which an answer grows before it asks for memory again: about one read of a socket. */
const STEP_BYTES = 64 * 1024;

/**
 * A limit on memory that is checked before an answer grows. While the limit is reached, one answer alone may continue,
 * so that it ends and gives its memory back. Otherwise unfinished answers could wait for each other. The memory
 * therefore exceeds the limit by one answer at most.
 */
export class MemoryShare {
  /** The number of answers that have joined. */
  answers = 0;
  readonly #maxBytes: number;
  readonly #waiting = new Set<() => void>();
  #heldBytes = 0;
  /** The answer that may grow although the limit is reached. */
  #first: object | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Returns whether the answer may grow now. */
  admits(answer: object): boolean {
    if (this.#heldBytes < this.#maxBytes || this.#first === answer) return true;
    if (this.#first !== undefined) return false;
    this.#first = answer;
    return true;
  }

  /** Calls `wake` once when an answer may grow. It must ask again, because others may have grown since. */
  wait(wake: () => void): void {
    this.#waiting.add(wake);
  }

  stopWaiting(wake: () => void): void {
    this.#waiting.delete(wake);
  }

  /** Counts bytes that an answer holds now; a negative number gives bytes back. */
  add(bytes: number): void {
    this.#heldBytes += bytes;
    if (bytes < 0) this.#wake();
  }

  /** Ends the right of an answer to exceed the limit. */
  leave(answer: object): void {
    if (this.#first !== answer) return;
    this.#first = undefined;
    this.#wake();
  }

  #wake(): void {
    let room = this.#maxBytes - this.#heldBytes;
    for (const wake of this.#waiting) {
      if (room <= 0 && this.#first !== undefined) return;
      this.#waiting.delete(wake);
      wake();
      room -= STEP_BYTES;
    }
  }
}
