import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { LoggedBody } from '../../../domain/ledger/logged-body.ts';
import type { Encryption } from '../../../platform/encryption.ts';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** The body as it lies in the object store: JSON, compressed, then sealed for this generation alone. */
export async function sealBody(
  encryption: Pick<Encryption, 'seal'>,
  generationId: string,
  json: string,
): Promise<Buffer> {
  return Buffer.from(encryption.seal(await compress(json), loggedBodyContext(generationId)));
}

/** Throws EncryptionError for what was altered, moved, or sealed with a key that is not configured any more. */
export async function openBody(
  encryption: Pick<Encryption, 'open'>,
  generationId: string,
  sealed: string,
): Promise<LoggedBody> {
  const json = await decompress(encryption.open(sealed, loggedBodyContext(generationId)));
  return JSON.parse(json.toString('utf8')) as LoggedBody;
}

/** The place of a body, to which it is bound. */
export function loggedBodyContext(generationId: string): string {
  return `logged_bodies:${generationId}`;
}
