/** Encrypts and decrypts the logged prompt and answer of a generation. */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { LoggedBody } from '../../../domain/ledger/logged-body.ts';
import type { Encryption } from '../../../platform/encryption.ts';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Compresses a body and encrypts it for this generation alone. The object store holds the result. */
export async function sealBody(
  encryption: Pick<Encryption, 'seal'>,
  generationId: string,
  json: string,
): Promise<Buffer> {
  return Buffer.from(encryption.seal(await compress(json), loggedBodyContext(generationId)));
}

/** Decrypts a body. Throws EncryptionError when it was altered or moved, or when its key is no longer configured. */
export async function openBody(
  encryption: Pick<Encryption, 'open'>,
  generationId: string,
  sealed: string,
): Promise<LoggedBody> {
  const json = await decompress(encryption.open(sealed, loggedBodyContext(generationId)));
  return JSON.parse(json.toString('utf8')) as LoggedBody;
}

/** Returns the context that an encrypted body is bound to. */
export function loggedBodyContext(generationId: string): string {
  return `logged_bodies:${generationId}`;
}
