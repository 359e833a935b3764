import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Coding } from './entity-tag.ts';

type Compressors = Record<Coding, (bytes: Buffer) => Promise<Buffer>>;

const COMPRESS: Compressors = {
  // The default of 11 takes a hundred times as long, for a tenth less.
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: promisify(gzip),
};

/**
 * JSON that is written already, in pieces: of answers that are sent more than once as they are, or are too large to be
 * copied for the sake of a field.
 */
export class ReadyJson {
  readonly pieces: readonly (string | Buffer)[];
  #compressed: Partial<Record<Coding, Promise<Buffer>>> | undefined;

  readonly #compress: Compressors;

  constructor(pieces: readonly (string | Buffer)[], compress = COMPRESS) {
    this.pieces = pieces;
    this.#compress = compress;
  }

  get byteLength(): number {
    let length = 0;
    for (const piece of this.pieces) length += Buffer.byteLength(piece);
    return length;
  }

  /** Returns all of it in this coding. It is compressed once, however often it is sent. */
  compressed(coding: Coding): Promise<Buffer> {
    const compressed = (this.#compressed ??= {});
    compressed[coding] ??= this.#compress
      [coding](
        Buffer.concat(this.pieces.map((piece) => (Buffer.isBuffer(piece) ? piece : Buffer.from(piece)))),
      )
      .catch((error: unknown) => {
        // The next answer tries again.
        delete compressed[coding];
        throw error;
      });
    return compressed[coding];
  }
}
