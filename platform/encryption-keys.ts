/** Parses the master keys of ENCRYPTION_KEYS. */

export interface EncryptionConfig {
  /** The key that encrypts new values; the other keys only decrypt older ones. */
  currentKeyId: string;
  /** Keys of 32 bytes each. */
  keys: ReadonlyMap<string, Buffer>;
}

/** The encryption key of every laptop stack. It is public, so production refuses to start with it. */
export const LAPTOP_ENCRYPTION_KEYS = 'laptop:c2x1aWNlIGxhcHRvcCBrZXksIG5vdCBhIHNlY3JldCE=';

const KEY_PATTERN = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]{43}=)$/;

/**
 * Parses `id:base64,id:base64…`; the first key is current. Throws an error for the operator. It names a faulty entry by
 * position only, because the text is secret.
 */
export function parseEncryptionKeys(text: string): EncryptionConfig {
  const keys = new Map<string, Buffer>();
  for (const [index, entry] of text.split(',').entries()) {
    const [, id, base64] = KEY_PATTERN.exec(entry.trim()) ?? [];
    if (id === undefined || base64 === undefined) {
      throw new TypeError(`entry ${index + 1} is not <id>:<base64 of exactly 32 bytes>`);
    }
    if (keys.has(id)) throw new TypeError(`entry ${index + 1} repeats a key id`);
    const key = Buffer.from(base64, 'base64');
    if (new Set(key).size < 8) throw new TypeError(`entry ${index + 1} is not a random key`);
    keys.set(id, key);
  }
  const [currentKeyId = ''] = keys.keys();
  return { currentKeyId, keys };
}

/** Returns whether the laptop key is configured, under any id and at any position. */
export function holdsLaptopKey({ keys }: EncryptionConfig): boolean {
  const [laptopKey] = parseEncryptionKeys(LAPTOP_ENCRYPTION_KEYS).keys.values();
  return [...keys.values()].some((key) => laptopKey?.equals(key) === true);
}
