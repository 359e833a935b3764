import type { Writable } from 'node:stream';
import { STALLED_AFTER_MS, untilTaken } from './stalled-reader.ts';

/** Text is written as UTF-8. */
export type Piece = string | Buffer;

/** Pieces as they are made. The last is what the generator returns, so that it leaves together with the end. */
export type Pieces = AsyncGenerator<Piece, Piece | undefined>;

/** Handed out at most so much at a time, so that no more than that of an event of megabytes waits beside it. */
const PIECE_BYTES = 64 * 1024;

/**
 * An answer that is written while it is made. A `Readable` between the generator and the socket, and a pipeline of the
 * two, would cost as much again as all events of a short answer.
 */
export class EventStream {
  readonly #pieces: Pieces;
  readonly #stalledAfterMs: number;

  constructor(pieces: Pieces, { stalledAfterMs = STALLED_AFTER_MS } = {}) {
    this.#pieces = pieces;
    this.#stalledAfterMs = stalledAfterMs;
  }

  /**
   * Writes all of it, no faster than it is read, and ends the reader. A reader who leaves makes the generator return,
   * whatever the reason: to the generator there is no difference between a closed tab and a broken cable. It always
   * begins, even where nobody reads: a generator that never began would not come to its `finally`.
   *
   * Resolves when there is nothing left to write, or nobody to write to. Rejects with what the generator throws, once
   * the reader is destroyed: what it has got must not look whole.
   */
  async sendTo(reader: Writable): Promise<void> {
    const leave = (): void => void this.#return();
    reader.once('close', leave);
    try {
      await this.#sendAll(reader);
      reader.off('close', leave);
    } catch (error) {
      if (reader.destroyed) return;
      reader.destroy();
      throw error;
    }
  }

  async #sendAll(reader: Writable): Promise<void> {
    for (;;) {
      const { done, value } = await this.#pieces.next();
      if (reader.destroyed) return this.#return();
      if (value !== undefined && value.length > PIECE_BYTES) await this.#writePieces(reader, value);
      else if (done === true) return this.#end(reader, value);
      else if (!reader.write(value)) await untilTaken(reader, this.#stalledAfterMs);
      if (done === true) return this.#end(reader);
    }
  }

  async #writePieces(reader: Writable, value: Piece): Promise<void> {
    const bytes = typeof value === 'string' ? Buffer.from(value) : value;
    for (let at = 0; at < bytes.length && !reader.destroyed; at += PIECE_BYTES) {
      if (!reader.write(bytes.subarray(at, at + PIECE_BYTES))) await untilTaken(reader, this.#stalledAfterMs);
    }
  }

  /** What was handed over last is watched too: the answer holds memory until it is taken. */
  async #end(reader: Writable, last?: Piece): Promise<void> {
    reader.end(last);
    if (reader.writableLength > 0) await untilTaken(reader, this.#stalledAfterMs);
  }

  /** A generator that fails while it returns has said so where it could. */
  async #return(): Promise<void> {
    await this.#pieces.return(undefined).catch(() => {});
  }
}
