import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createEncryption, type Encryption } from '../../platform/encryption.ts';
import { hopMarks } from '../../platform/hop-marks.ts';

const URL = 'https://gateway.example';
const [first, second] = [randomBytes(32), randomBytes(32)];

function encryptionWith(...keys: Buffer[]): Encryption {
  const byId = new Map(keys.map((key) => [key === first ? 'first' : 'second', key]));
  const [currentKeyId = ''] = byId.keys();
  return createEncryption({ currentKeyId, keys: byId });
}

test('processes with the same keys and public URL have the same marks', () => {
  expect(hopMarks(encryptionWith(first), URL)).toEqual(hopMarks(encryptionWith(first), URL));
});

test('other keys and other public URLs have other marks', () => {
  const [mark] = hopMarks(encryptionWith(first), URL);
  expect(hopMarks(encryptionWith(second), URL)).not.toContain(mark);
  expect(hopMarks(encryptionWith(first), 'https://other.example')).not.toContain(mark);
});

test("a process recognizes the marks of all its keys, the current key's first", () => {
  const [before] = hopMarks(encryptionWith(first), URL);
  const [after, ...others] = hopMarks(encryptionWith(second, first), URL);
  expect(others).toEqual([before]);
  expect(after).not.toBe(before);
});

test('a mark has 128 bits and is no plain hash of the URL', () => {
  const [mark] = hopMarks(encryptionWith(first), URL);
  expect(mark).toMatch(/^[\w-]{22}$/);
  expect(createHash('sha256').update(URL).digest('base64url')).not.toContain(mark);
});
