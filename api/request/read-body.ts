import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import getRawBody from 'raw-body';
import { AppError, invalidRequest } from '../../domain/errors.ts';
import { type BodyInFlight, createBodiesInFlight, SMALL_BODY_BYTES } from './bodies-in-flight.ts';

const DECODERS: Record<string, () => Transform> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

const BODIES_OF_PROCESS = createBodiesInFlight();

/**
 * The bytes of a JSON body, decompressed. The limit holds for what is received and for what it inflates to.
 * A body announced as too large, or as more than there is room for beside the others, is refused unread; its
 * connection is closed rather than drained.
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  limitBytes: number,
  bodies = BODIES_OF_PROCESS,
): Promise<Buffer> {
  const { headers } = request;
  const announced = headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
  if (announced !== undefined && announced > limitBytes) throw tooLarge();
  requireJson(headers['content-type']);
  const decoder = decoderFor(headers['content-encoding']);
  const isKnown = announced !== undefined && decoder === undefined;
  if (isKnown && announced > SMALL_BODY_BYTES) bodies.open(response).take(announced);
  if (headers.expect !== undefined) response.writeContinue();
  if (isKnown) return read(request, limitBytes);
  const body = bodies.open(response);
  return decoder === undefined
    ? readWithin(request, limitBytes, body)
    : readDecoded(request, decoder, limitBytes, body);
}

function requireJson(contentType = ''): void {
  const [mediaType = '', ...parameters] = contentType
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  const isUtf8 = charset === undefined || /^"?utf-?8"?$/.test(charset);
  if (mediaType !== 'application/json' || !isUtf8) throw new AppError('unsupported_media_type');
}

function decoderFor(contentEncoding = 'identity'): Transform | undefined {
  const encoding = contentEncoding.trim().toLowerCase();
  if (encoding === 'identity') return undefined;
  const create = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (create === undefined) {
    throw new AppError('unsupported_media_type', { headers: { 'accept-encoding': 'gzip, deflate, br' } });
  }
  return create();
}

async function read(stream: Readable, limitBytes: number): Promise<Buffer> {
  // The caller left before there was time to read.
  if (stream.destroyed) throw new AppError('client_cancelled');
  try {
    return await getRawBody(stream, { limit: limitBytes });
  } catch (error) {
    throw toAppError(error);
  }
}

/** Of a body whose size shows only as it comes. */
async function readWithin(stream: Readable, limitBytes: number, body: BodyInFlight): Promise<Buffer> {
  const { promise: refused, reject } = Promise.withResolvers<never>();
  stream.on('data', (chunk: Buffer) => {
    try {
      body.take(chunk.length);
    } catch (error) {
      stream.pause();
      reject(error as AppError);
    }
  });
  return Promise.race([read(stream, limitBytes), refused]);
}

/** Not `pipeline`: it would destroy the request on a bad body, and with it the way to answer. */
async function readDecoded(
  request: IncomingMessage,
  decoder: Transform,
  limitBytes: number,
  body: BodyInFlight,
): Promise<Buffer> {
  const abandon = (): void => {
    if (!request.complete) decoder.destroy(new AppError('client_cancelled'));
  };
  request.once('close', abandon).pipe(decoder);
  try {
    return await readWithin(decoder, limitBytes, body);
  } finally {
    request.off('close', abandon).unpipe(decoder);
    decoder.on('error', ignoreLateError).destroy();
  }
}

/** A decoder that was given up may still report the input it was working on. */
function ignoreLateError(): void {}

function toAppError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const { type, code } = error as { type?: string; code?: string };
  if (type === 'entity.too.large') return tooLarge();
  if (type === 'request.aborted' || code === 'ECONNRESET') {
    return new AppError('client_cancelled', { cause: error });
  }
  if (isDecodingFailure(code)) {
    return invalidRequest({ path: 'body', message: 'is not valid in its Content-Encoding' });
  }
  return error;
}

function isDecodingFailure(code = ''): boolean {
  return code.startsWith('Z_') || code.startsWith('ERR__ERROR');
}

function tooLarge(): AppError {
  return new AppError('payload_too_large', { headers: { connection: 'close' } });
}
