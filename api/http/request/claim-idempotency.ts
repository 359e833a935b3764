import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { OperationDefinition } from '../../../contract/operation.ts';
import { invalidRequest } from '../../../domain/errors.ts';
import type { IdempotencyClaim } from '../../../services/answer-once.ts';

/**
 * Returns the caller's `Idempotency-Key` with a hash that distinguishes a repeated request from a different one. The
 * hash covers the operation, the path parameters and the bytes of the body as sent (after decompression), so the same
 * JSON written differently counts as different.
 */
export function claimIdempotency(
  operation: OperationDefinition,
  headers: IncomingHttpHeaders,
  params: object,
  body: Buffer,
): IdempotencyClaim | undefined {
  const key = headers['idempotency-key'];
  if (!operation.idempotent || key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw invalidRequest({
      path: 'headers.idempotency-key',
      message: 'must be 1 to 255 printable ASCII characters',
    });
  }
  const hash = createHash('sha256')
    .update(`${operation.id}\n${JSON.stringify(params)}\n`)
    .update(body);
  return { key, requestHash: hash.digest('hex') };
}
