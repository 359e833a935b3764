import type { Writable } from 'node:stream';
import { STALLED_AFTER_MS, untilTaken } from './stalled-reader.ts';

/** A text, which is written as UTF-8, or bytes. */
export type Piece = string | Buffer;

/**
 * Generates pieces of an answer. The last one is the generator's return value, so that it is sent together with the
 * end.
 */
export type Pieces = AsyncGenerator<Piece, Piece | undefined>;

/** The largest piece written at once, so that a large event does not wait in memory a second time. */
const PIECE_BYTES = 64 * 1024;

/**
 * Writes an answer while it is generated. A `Readable` with a pipeline would cost as much as all events of a short
 * answer.
 */
export class EventStream {
  readonly #pieces: Pieces;
  readonly #stalledAfterMs: number;

  constructor(pieces: Pieces, { stalledAfterMs = STALLED_AFTER_MS } = {}) {
    this.#pieces = pieces;
    this.#stalledAfterMs = stalledAfterMs;
  }

  /**
   * Writes all pieces, no faster than the reader takes them, and ends the reader.
   *
   * When the reader is destroyed, for any reason, the generator returns. The generator is always started, even
   * without a reader, because otherwise its `finally` would not run. Resolves when nothing is left to write or the
   * reader is gone. Rejects with the generator's error after destroying the reader, so that a partial answer does not
   * look complete.
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

  /** Ends the reader and waits until it has taken the last piece, because the answer occupies memory until then. */
  async #end(reader: Writable, last?: Piece): Promise<void> {
    reader.end(last);
    if (reader.writableLength > 0) await untilTaken(reader, this.#stalledAfterMs);
  }

  /** Returns the generator and ignores its error, which the generator has reported itself. */
  async #return(): Promise<void> {
    await this.#pieces.return(undefined).catch(() => {});
  }
}
