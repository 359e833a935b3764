/** Reads request bodies within limits of size, memory and speed, and decompresses them. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib';
import getRawBody from 'raw-body';
import { AppError, invalidRequest } from '../../../domain/errors.ts';
import type { BodiesInFlight, BodyInFlight } from './bodies-in-flight.ts';
import type { BodyPace } from './body-pace.ts';

/** The longest time for which the rest of a refused body is read, and the longest in which nothing of it arrives. */
const DISCARD_MS = 10_000;
const SILENCE_MS = 2_000;

/** The largest window of zstd, 2^23 bytes, which RFC 9659 allows. It bounds the memory of a decoder. */
const ZSTD_WINDOW_LOG = 23;

const DECODERS: Record<string, () => Transform> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } }),
};

const NO_BYTES = Buffer.alloc(0);

/** The terms of reading one body: who sends it, how large it may be, and which media types it may have. */
export interface BodyTerms {
  limitBytes: number;
  /** Undefined for a caller without a key. */
  organizationId?: string | undefined;
  /**
   * The media types that are accepted beside `application/json`. `any`: the body is passed on as received, without
   * decompression.
   */
  mediaTypes?: readonly string[] | 'any' | undefined;
}

/** Limits the memory that bodies use, and the time for which they keep connections open. */
export interface BodyGuards {
  bodies: BodiesInFlight;
  pace: BodyPace;
}

/**
 * Reads the bytes of a body, and decompresses them unless `mediaTypes` is `any`. The size limit holds for the announced
 * length, for the received bytes and for the decompressed bytes. Rejects a body that is too large, exceeds the memory
 * for bodies, or arrives too slowly. In all these cases the connection is closed with the answer.
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  { limitBytes, organizationId, mediaTypes }: BodyTerms,
  { bodies, pace }: BodyGuards,
): Promise<Buffer> {
  const { headers } = request;
  const announcedBytes = Number(headers['content-length']);
  if (announcedBytes > limitBytes) {
    // A client that waits to be asked sends no body.
    if (headers.expect === undefined) await discardRest(request);
    throw tooLarge();
  }
  if (mediaTypes !== 'any') requireJson(headers['content-type'], mediaTypes);
  const decoder = mediaTypes === 'any' ? undefined : decoderFor(headers['content-encoding']);
  if (headers.expect !== undefined) response.writeContinue();
  const body = bodies.open(response, organizationId);
  const reading: Reading = { request, limitBytes, body, pace };
  if (decoder === undefined && request.readableLength === announcedBytes) return readArrived(reading);
  try {
    return await (decoder === undefined ? readWithin(request, reading) : readDecoded(decoder, reading));
  } catch (error) {
    if (error instanceof AppError && error.code !== 'timeout') await discardRest(request);
    throw error;
  }
}

interface Reading {
  request: IncomingMessage;
  limitBytes: number;
  body: BodyInFlight;
  pace: BodyPace;
}

function requireJson(contentType = '', further: readonly string[] = []): void {
  // As most clients send it.
  if (contentType === 'application/json') return;
  const [mediaType = '', ...parameters] = contentType
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  const isUtf8 = charset === undefined || /^"?utf-?8"?$/.test(charset);
  const isJson = mediaType === 'application/json' || further.includes(mediaType);
  if (!isJson || !isUtf8) throw new AppError('unsupported_media_type');
}

function decoderFor(contentEncoding = 'identity'): Transform | undefined {
  const encoding = contentEncoding.trim().toLowerCase();
  if (encoding === 'identity') return undefined;
  const create = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (create === undefined) {
    throw new AppError('unsupported_media_type', {
      publicMessage:
        'Unsupported encoding: send the header Content-Encoding with gzip, deflate, br or zstd, or omit it',
      headers: { 'accept-encoding': 'gzip, deflate, br, zstd' },
    });
  }
  return create();
}

async function read(stream: Readable, limitBytes: number): Promise<Buffer> {
  // The caller has disconnected already.
  if (stream.destroyed) throw new AppError('client_cancelled');
  try {
    return await getRawBody(stream, { limit: limitBytes });
  } catch (error) {
    throw toAppError(error);
  }
}

/** Reads a body that has arrived completely, as most small ones have, without waiting or watching. */
function readArrived({ request, body }: Reading): Buffer {
  if (request.destroyed) throw new AppError('client_cancelled');
  const bytes: Buffer = request.read() ?? NO_BYTES;
  body.take(bytes.length);
  // Lets the request end. After `read` it would stay open.
  request.resume();
  return bytes;
}

/** Reads a stream to its end. Stops if the memory for bodies is exceeded or the request arrives too slowly. */
async function readWithin(stream: Readable, { request, limitBytes, body, pace }: Reading): Promise<Buffer> {
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = (error: unknown): void => {
    stream.pause();
    reject(error);
  };
  const take = (chunk: Buffer): void => {
    try {
      body.take(chunk.length);
    } catch (error) {
      stop(error);
    }
  };
  stream.on('data', take);
  const unwatch = request.complete ? undefined : pace.watch(request, () => stop(tooSlow()));
  try {
    return await Promise.race([read(stream, limitBytes), stopped]);
  } finally {
    unwatch?.();
    stream.off('data', take);
  }
}

/**
 * Reads and decompresses a body. `pipeline` would destroy the request when the body is invalid, so it could not be
 * answered.
 */
async function readDecoded(decoder: Transform, reading: Reading): Promise<Buffer> {
  const { request, limitBytes } = reading;
  const abandon = (): void => {
    if (!request.complete) decoder.destroy(new AppError('client_cancelled'));
  };
  let receivedBytes = 0;
  const count = (chunk: Buffer): void => {
    receivedBytes += chunk.length;
    if (receivedBytes > limitBytes) decoder.destroy(tooLarge());
  };
  request.once('close', abandon).on('data', count).pipe(decoder);
  try {
    return await readWithin(decoder, reading);
  } finally {
    request.off('close', abandon).off('data', count).unpipe(decoder);
    decoder.on('error', ignoreLateError).destroy();
  }
}

/** Ignores errors of a destroyed decoder, which may still report the input that it was decoding. */
function ignoreLateError(): void {}

function toAppError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const { type, code } = error as { type?: string; code?: string };
  if (type === 'entity.too.large') return tooLarge();
  if (type === 'request.aborted' || code === 'ECONNRESET') {
    return new AppError('client_cancelled', { cause: error });
  }
  if (code === 'ZSTD_error_frameParameter_windowTooLarge') {
    return invalidRequest({ path: 'body', message: 'needs a zstd window above 8 MiB' });
  }
  if (isDecodingFailure(code)) {
    return invalidRequest({ path: 'body', message: 'is not valid in its Content-Encoding' });
  }
  return error;
}

function isDecodingFailure(code = ''): boolean {
  return code.startsWith('Z_') || code.startsWith('ERR__ERROR') || code.startsWith('ZSTD_error_');
}

/** Returns the 408 for a slow body. It closes the connection, because the rest of the body is not read. */
function tooSlow(): AppError {
  return new AppError('timeout', { reason: 'body_too_slow', headers: { connection: 'close' } });
}

function tooLarge(): AppError {
  return new AppError('payload_too_large', { headers: { connection: 'close' } });
}

/**
 * Discards the rest of a body that is refused, for up to ten seconds, and as long as it arrives. Many clients read the
 * answer only after they have written the whole body. They would not see the answer if the connection closed earlier.
 */
async function discardRest(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return;
  const silent = new AbortController();
  const timer = setTimeout(() => silent.abort(), SILENCE_MS);
  request.on('data', () => timer.refresh()).resume();
  // The waiting also ends when the client disconnects or the time is up.
  const signal = AbortSignal.any([silent.signal, AbortSignal.timeout(DISCARD_MS)]);
  await once(request, 'end', { signal }).catch(() => {});
  clearTimeout(timer);
}
