/** Makes the marks by which the processes of one installation recognize each other's requests. */
import { createHmac } from 'node:crypto';
import type { Encryption } from './encryption.ts';

/** The length of a mark, in characters of base64url: 128 bits. */
const MARK_LENGTH = 22;

/**
 * Returns one mark for each encryption key, the current one first. All processes of an installation have the same keys
 * and public URL. Others learn neither from a mark. During a change of keys, each process recognizes the marks of both
 * keys, because both are configured.
 */
export function hopMarks(
  { deriveKey }: Pick<Encryption, 'deriveKey'>,
  publicUrl: string,
): [string, ...string[]] {
  const [first, ...others] = deriveKey('hop marks').map((key) =>
    createHmac('sha256', key).update(publicUrl).digest('base64url').slice(0, MARK_LENGTH),
  );
  if (first === undefined) throw new Error('no encryption key is configured');
  return [first, ...others];
}
