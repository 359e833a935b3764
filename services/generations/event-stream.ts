import type { Writable } from 'node:stream';

/** Text is written as UTF-8. */
export type Piece = string | Buffer;

/** Pieces as they are made. The last is what the generator returns, so that it leaves together with the end. */
export type Pieces = AsyncGenerator<Piece, Piece | undefined>;

/**
 * A reader who takes nothing for so long is gone, or as good as gone: a full buffer of events waits, and behind it the
 * upstream, the reservation, and the memory of both.
 */
const STALLED_AFTER_MS = 60_000;

/** Handed out at most so much at a time: of an event of megabytes a slow reader takes a piece now and then, and it shows. */
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
      else if (done === true) return void reader.end(value);
      else if (!reader.write(value)) await this.#isDrained(reader);
      if (done === true) return void reader.end();
    }
  }

  async #writePieces(reader: Writable, value: Piece): Promise<void> {
    const bytes = typeof value === 'string' ? Buffer.from(value) : value;
    for (let at = 0; at < bytes.length && !reader.destroyed; at += PIECE_BYTES) {
      if (!reader.write(bytes.subarray(at, at + PIECE_BYTES))) await this.#isDrained(reader);
    }
  }

  /** Resolves when the reader wants more, or is gone. */
  #isDrained(reader: Writable): Promise<void> {
    return new Promise((resolve) => {
      let unread = reader.writableLength;
      // Only once the buffer is full: a timer for every event would be one for every token.
      const look = setInterval(() => {
        if (reader.writableLength >= unread) reader.destroy();
        unread = reader.writableLength;
      }, this.#stalledAfterMs).unref();
      const over = (): void => {
        clearInterval(look);
        reader.off('drain', over).off('close', over);
        resolve();
      };
      reader.on('drain', over).on('close', over);
    });
  }

  /** A generator that fails while it returns has said so where it could. */
  async #return(): Promise<void> {
    await this.#pieces.return(undefined).catch(() => {});
  }
}
