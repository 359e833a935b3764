import { describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { createEncryption, EncryptionError } from '../../platform/encryption.ts';

const oldKey = randomBytes(32);
const newKey = randomBytes(32);
const before = createEncryption({ currentKeyId: 'old', keys: new Map([['old', oldKey]]) });
const during = createEncryption({
  currentKeyId: 'new',
  keys: new Map([
    ['new', newKey],
    ['old', oldKey],
  ]),
});
const after = createEncryption({ currentKeyId: 'new', keys: new Map([['new', newKey]]) });

const CONTEXT = 'webhook_secrets/secret/42';
const SECRET = 'whsec_very-secret-value';

function reasonOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof EncryptionError) return error.reason;
  }
  throw new Error('did not throw an EncryptionError');
}

test('a sealed value opens as the same text or bytes', () => {
  const bytes = randomBytes(1000);
  expect(before.open(before.seal(SECRET, CONTEXT), CONTEXT).toString()).toBe(SECRET);
  expect(before.open(before.seal(bytes, CONTEXT), CONTEXT)).toEqual(bytes);
  expect(before.open(before.seal('', CONTEXT), CONTEXT)).toHaveLength(0);
});

test('two seals of the same value differ', () => {
  expect(before.seal(SECRET, CONTEXT)).not.toBe(before.seal(SECRET, CONTEXT));
});

test('a sealed value names its version and key, and shows neither value nor place', () => {
  const sealed = before.seal(SECRET, CONTEXT);
  expect(sealed).toMatch(/^v1\.old\.[\w-]+\.[\w-]+$/);
  expect(sealed).not.toContain(SECRET);
  expect(sealed).not.toContain('webhook_secrets');
});

describe('a sealed value that cannot be opened', () => {
  test('fails as not_authentic in another place', () => {
    const sealed = before.seal(SECRET, CONTEXT);
    expect(reasonOf(() => before.open(sealed, 'webhook_secrets/secret/43'))).toBe('not_authentic');
    expect(reasonOf(() => before.open(sealed, ''))).toBe('not_authentic');
  });

  test('fails as not_authentic or malformed when any character is altered', () => {
    const sealed = before.seal(SECRET, CONTEXT);
    const start = 'v1.old.'.length;
    for (let index = start; index < sealed.length; index += 1) {
      // The last character of a base64url text may carry unused bits, so the first bit is flipped instead.
      const code = sealed.charCodeAt(index);
      const altered = `${sealed.slice(0, index)}${code === 65 ? 'Q' : 'A'}${sealed.slice(index + 1)}`;
      if (sealed[index] === '.') continue;
      if (
        Buffer.from(altered.slice(start), 'base64url').equals(Buffer.from(sealed.slice(start), 'base64url'))
      )
        continue;
      expect(['not_authentic', 'malformed']).toContain(reasonOf(() => before.open(altered, CONTEXT)));
    }
  });

  test('fails as not_authentic when made of the parts of two', () => {
    const [version, id, wrapped] = before.seal(SECRET, CONTEXT).split('.');
    const [, , , ciphertext] = before.seal(SECRET, CONTEXT).split('.');
    expect(reasonOf(() => before.open([version, id, wrapped, ciphertext].join('.'), CONTEXT))).toBe(
      'not_authentic',
    );
  });

  test('fails as unknown_key, and names the key, when that is not configured', () => {
    const sealed = before.seal(SECRET, CONTEXT);
    expect(reasonOf(() => after.open(sealed, CONTEXT))).toBe('unknown_key');
    expect(() => after.open(sealed, CONTEXT)).toThrow('No encryption key with id old is configured');
  });

  test('fails as not_authentic under another key with the same id', () => {
    const impostor = createEncryption({ currentKeyId: 'old', keys: new Map([['old', newKey]]) });
    expect(reasonOf(() => impostor.open(before.seal(SECRET, CONTEXT), CONTEXT))).toBe('not_authentic');
  });

  test.each([
    '',
    'plain text',
    'v1.old.short.short',
    'v2.old.aaaa.bbbb',
    'v1.old.aaaa',
    'v1..aaaa.bbbb',
    'v1.old.a*.b',
  ])('fails as malformed when the text is %j', (text) => {
    expect(reasonOf(() => before.open(text, CONTEXT))).toBe('malformed');
  });
});

test('no error shows the value, its place or a key', () => {
  const sealed = before.seal(SECRET, CONTEXT);
  for (const action of [
    () => before.open(sealed, 'elsewhere-7'),
    () => after.open(sealed, CONTEXT),
    () => before.open(sealed.slice(0, -9), CONTEXT),
    () => before.open(SECRET, CONTEXT),
  ]) {
    try {
      action();
      throw new Error('did not throw');
    } catch (error) {
      const shown = `${String(error)} ${JSON.stringify(error)} ${String((error as Error).cause)}`;
      for (const hidden of [SECRET, CONTEXT, 'elsewhere-7', oldKey.toString('base64'), sealed.slice(8, 30)]) {
        expect(shown).not.toContain(hidden);
      }
    }
  }
});

describe('the rotation of a master key', () => {
  test('opens what the old key sealed and seals with the new one', () => {
    expect(during.open(before.seal(SECRET, CONTEXT), CONTEXT).toString()).toBe(SECRET);
    expect(during.seal(SECRET, CONTEXT)).toMatch(/^v1\.new\./);
  });

  test('re-wraps without changing the ciphertext, and then needs no old key', () => {
    const sealed = before.seal(SECRET, CONTEXT);
    const rewrapped = during.rewrap(sealed, CONTEXT);
    expect(rewrapped.split('.')[3]).toBe(sealed.split('.')[3]);
    expect(after.open(rewrapped, CONTEXT).toString()).toBe(SECRET);
  });

  test('leaves unchanged what the current key sealed', () => {
    const sealed = during.seal(SECRET, CONTEXT);
    expect(during.rewrap(sealed, CONTEXT)).toBe(sealed);
  });

  test('fails to re-wrap a value in another place', () => {
    const sealed = before.seal(SECRET, CONTEXT);
    expect(reasonOf(() => during.rewrap(sealed, 'elsewhere'))).toBe('not_authentic');
  });
});

describe('derived keys', () => {
  test('come one from each master key, the current first, equal after a restart', () => {
    const keys = during.deriveKey('signed urls');
    expect(keys).toEqual([...after.deriveKey('signed urls'), ...before.deriveKey('signed urls')]);
    expect(keys.map((key) => key.length)).toEqual([32, 32]);
  });

  test('differ by purpose and from the master key', () => {
    const [signing] = before.deriveKey('signed urls');
    const [other] = before.deriveKey('something else');
    expect(signing).not.toEqual(other);
    expect(signing).not.toEqual(oldKey);
  });
});
