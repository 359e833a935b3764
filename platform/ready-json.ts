/** Keeps serialized JSON answers, and their compressed forms, for repeated sending. */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** A content coding of HTTP. */
export type Coding = 'br' | 'gzip';

type Compressors = Record<Coding, (bytes: Buffer) => Promise<Buffer>>;

const COMPRESS: Compressors = {
  // The default quality of 11 takes a hundred times as long, and makes the result only a tenth smaller.
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: promisify(gzip),
};

/** Serialized JSON in pieces, for answers that are sent repeatedly, or are too large to copy. */
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

  /** Returns the whole JSON in this coding. It is compressed once and cached. */
  compressed(coding: Coding): Promise<Buffer> {
    const compressed = (this.#compressed ??= {});
    compressed[coding] ??= this.#compress[coding](
      Buffer.concat(this.pieces.map((piece) => (Buffer.isBuffer(piece) ? piece : Buffer.from(piece)))),
    ).catch((error: unknown) => {
      // After a failure the next answer tries again.
      delete compressed[coding];
      throw error;
    });
    return compressed[coding];
  }
}
