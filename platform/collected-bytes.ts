/** Collects the chunks of a body without keeping more memory than the body needs. */

/** The size of the blocks into which small chunks are copied. */
const BLOCK_BYTES = 16 * 1024;

/**
 * Returns the chunk, or a copy if the chunk is a small part of a larger read of its socket. A part would keep the whole
 * read in memory.
 */
export function withoutRest(chunk: Buffer): Buffer {
  return keepsMuchMore(chunk) ? Buffer.copyBytesFrom(chunk) : chunk;
}

function keepsMuchMore(chunk: Buffer): boolean {
  return chunk.buffer.byteLength > 2 * chunk.length;
}

/** The bytes of a body as they arrive. A body in many small chunks takes no more memory than one in few. */
export class CollectedBytes {
  readonly #chunks: Buffer[] = [];
  #length = 0;
  /** The last block, which small chunks are copied to, and the number of its used bytes. */
  #block: Buffer | undefined;
  #used = 0;

  get length(): number {
    return this.#length;
  }

  add(chunk: Buffer): void {
    this.#length += chunk.length;
    // Most bodies have a single chunk. Its read holds little beside it: the head of the answer.
    if (this.#chunks.length === 0 || (this.#block === undefined && !keepsMuchMore(chunk))) {
      this.#chunks.push(chunk);
      return;
    }
    let at = 0;
    while (at < chunk.length) {
      if (this.#block === undefined || this.#used === BLOCK_BYTES) this.#addBlock();
      const copied = chunk.copy(this.#block!, this.#used, at);
      this.#used += copied;
      at += copied;
    }
  }

  /** Returns all bytes. */
  whole(): Buffer {
    const [first] = this.#chunks;
    if (first !== undefined && this.#chunks.length === 1) return first;
    return Buffer.concat(this.#chunks, this.#length);
  }

  #addBlock(): void {
    this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    this.#used = 0;
    this.#chunks.push(this.#block);
  }
}
