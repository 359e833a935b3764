/** Writes streamed responses to connections, with backpressure. */
import type { Writable } from 'node:stream';
import { STALLED_AFTER_MS, untilTaken } from './stalled-reader.ts';
import { atTurnEnd } from './turn-end.ts';

/** A text, which is written as UTF-8, or bytes. */
export type Piece = string | Buffer;

/**
 * Generates pieces of an answer. The last one is the generator's return value, so that it is sent together with the
 * end.
 */
export type Pieces = AsyncGenerator<Piece, Piece | undefined>;

/** The largest piece that is written at once, so that the connection does not buffer a large event a second time. */
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
   * When the reader is destroyed, the generator is ended too. It is started even if the reader is already destroyed,
   * because its `finally` would not run otherwise. Resolves when all pieces are written or the reader is destroyed. If
   * the generator fails, destroys the reader, so that a partial answer does not look complete, and rejects with the
   * generator's error.
   */
  async sendTo(reader: Writable): Promise<void> {
    const onClose = (): void => void this.#return();
    reader.once('close', onClose);
    try {
      await this.#sendAll(reader);
      reader.off('close', onClose);
    } catch (error) {
      if (reader.destroyed) return;
      reader.destroy();
      throw error;
    }
  }

  async #sendAll(reader: Writable): Promise<void> {
    for (;;) {
      const { done, value } = await this.#pieces.next();
      // The steps only resolve promises, and then all streams of a turn write one right after the other.
      await new Promise<void>(atTurnEnd);
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

  /** Ends the generator and ignores its error, which the generator has reported itself. */
  async #return(): Promise<void> {
    await this.#pieces.return(undefined).catch(() => {});
  }
}
