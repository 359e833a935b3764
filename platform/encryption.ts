/** Encrypts the secrets that the database stores, and decrypts them. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { EncryptionConfig } from './encryption-keys.ts';

const VERSION = 'v1';
const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The reason why a sealed value does not open. No message holds plaintext, ciphertext, context or key. */
export class EncryptionError extends Error {
  readonly reason: 'malformed' | 'unknown_key' | 'not_authentic';

  constructor(reason: EncryptionError['reason'], message: string) {
    super(message);
    this.name = 'EncryptionError';
    this.reason = reason;
  }
}

/**
 * Encrypts secrets at rest. Each value is encrypted with its own data key, and the data key with a master key:
 *
 *   v1.<master key id>.<wrapped data key>.<ciphertext>      the last two: base64url of iv, bytes, tag
 *
 * `context` names the place of the value (table, column, row id) and is not stored. A ciphertext that was moved to
 * another row therefore does not open.
 */
export interface Encryption {
  seal(plaintext: string | Buffer, context: string): string;
  /** Throws EncryptionError for a value that was altered, moved, or sealed with a key that is not configured. */
  open(sealed: string, context: string): Buffer;
  /**
   * Wraps the data key with the current master key; the ciphertext stays. Returns the value unchanged if its master key
   * is current.
   */
  rewrap(sealed: string, context: string): string;
  /**
   * Returns 32 bytes for one purpose (such as signing URLs) from each master key, current first. The bytes of a master
   * key never change.
   */
  deriveKey(purpose: string): Buffer[];
}

export function createEncryption({ currentKeyId, keys }: EncryptionConfig): Encryption {
  const wrappingKeys = new Map([...keys].map(([id, key]) => [id, derive(key, 'wrap data keys')] as const));

  function wrappingKey(id: string): Buffer {
    const key = wrappingKeys.get(id);
    if (key === undefined)
      throw new EncryptionError('unknown_key', `No encryption key with id ${id} is configured`);
    return key;
  }

  function wrap(dataKey: Buffer, context: string): string {
    const sealed = encrypt(wrappingKey(currentKeyId), dataKey, wrapContext(currentKeyId, context));
    return `${currentKeyId}.${sealed}`;
  }

  function unwrap({ keyId, wrapped }: SealedParts, context: string): Buffer {
    return decrypt(wrappingKey(keyId), wrapped, wrapContext(keyId, context));
  }

  return {
    seal(plaintext, context) {
      const dataKey = randomBytes(KEY_BYTES);
      const ciphertext = encrypt(dataKey, Buffer.from(plaintext), dataContext(context));
      return `${VERSION}.${wrap(dataKey, context)}.${ciphertext}`;
    },
    open(sealed, context) {
      const parts = parseSealed(sealed);
      return decrypt(unwrap(parts, context), parts.ciphertext, dataContext(context));
    },
    rewrap(sealed, context) {
      const parts = parseSealed(sealed);
      if (parts.keyId === currentKeyId) return sealed;
      return `${VERSION}.${wrap(unwrap(parts, context), context)}.${parts.ciphertext}`;
    },
    deriveKey(purpose) {
      const others = [...keys.keys()].filter((id) => id !== currentKeyId);
      return [currentKeyId, ...others].flatMap((id) => {
        const key = keys.get(id);
        return key === undefined ? [] : [derive(key, `purpose ${purpose}`)];
      });
    },
  };
}

/** The last character of a sealed value that its master key id may occupy. */
export const KEY_ID_END = 36;

/** Returns the id of the master key in a sealed value or its beginning; null for other text. */
export function keyIdOf(sealed: string): string | null {
  return /^v1\.([A-Za-z0-9_-]{1,32})\./.exec(sealed)?.[1] ?? null;
}

interface SealedParts {
  keyId: string;
  wrapped: string;
  ciphertext: string;
}

function parseSealed(sealed: string): SealedParts {
  const match = /^v1\.([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/.exec(sealed);
  const [, keyId, wrapped, ciphertext] = match ?? [];
  if (keyId === undefined || wrapped === undefined || ciphertext === undefined) {
    throw new EncryptionError('malformed', 'The value is not a sealed value of a known version');
  }
  return { keyId, wrapped, ciphertext };
}

/** Returns the context of the data layer. It omits the master key, so rotation leaves the ciphertext unchanged. */
function dataContext(context: string): Buffer {
  return Buffer.from(`${VERSION}\n${context}`);
}

function wrapContext(keyId: string, context: string): Buffer {
  return Buffer.from(`${VERSION}\n${keyId}\n${context}`);
}

/**
 * Derives a key for one use from a master key, which never encrypts directly. Separate keys keep the uses from being
 * confused.
 */
function derive(masterKey: Buffer, use: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', `sluice ${VERSION} ${use}`, KEY_BYTES));
}

function encrypt(key: Buffer, plaintext: Buffer, additionalData: Buffer): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(additionalData);
  const body = [cipher.update(plaintext), cipher.final()];
  return Buffer.concat([iv, ...body, cipher.getAuthTag()]).toString('base64url');
}

function decrypt(key: Buffer, text: string, additionalData: Buffer): Buffer {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length < IV_BYTES + TAG_BYTES)
    throw new EncryptionError('malformed', 'The sealed value is too short');
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(additionalData)
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    throw new EncryptionError('not_authentic', 'The sealed value was altered or belongs elsewhere');
  }
}
