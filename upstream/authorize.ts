import { timingSafeEqual } from 'node:crypto';
import { UpstreamError } from './reply.ts';

/** Throws UpstreamError unless the header carries the key as a bearer token. */
export function checkKey(authorization: string | undefined, apiKey: string): void {
  const given = Buffer.from(/^Bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? '');
  const expected = Buffer.from(apiKey);
  if (given.length === expected.length && timingSafeEqual(given, expected)) return;
  throw new UpstreamError(401, 'Incorrect API key provided.', { code: 'invalid_api_key' });
}
