import { expect, test } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import type { BodyKey } from '../../../../db/broadcast/body-store.ts';
import type { BroadcastContent } from '../../../../domain/broadcast/event.ts';
import { createEncryption } from '../../../../platform/encryption.ts';
import { LAPTOP_ENCRYPTION_KEYS, parseEncryptionKeys } from '../../../../platform/encryption-keys.ts';
import { sealContent } from '../../../../services/ledger/bodies/sealed-content.ts';
import {
  createSharedContents,
  type SizedKey,
} from '../../../../services/broadcast/content/shared-contents.ts';

const encryption = createEncryption(parseEncryptionKeys(LAPTOP_ENCRYPTION_KEYS));
const CONTENT: BroadcastContent = { input: [], output: [], outputText: 'the answer' };
const sealed = (id: string): Buffer =>
  Buffer.from(sealContent(encryption, 'broadcast_bodies', id, gzipSync(JSON.stringify(CONTENT))), 'latin1');
const key = (generationId: string, size = 10): SizedKey => ({
  generationId,
  settledAt: new Date('2026-11-01T00:00:00Z'),
  size,
});

/** A table that has every row but `gone`, and fails while `isAway`. */
function makeStore() {
  const asked: string[] = [];
  const store = {
    isAway: false,
    asked,
    async read(keys: readonly BodyKey[]): Promise<Map<string, Buffer>> {
      asked.push(...keys.map(({ generationId }) => generationId));
      if (store.isAway) throw new Error('Postgres is away');
      const there = keys.filter(({ generationId }) => generationId !== 'gone');
      return new Map(there.map(({ generationId }) => [generationId, sealed(generationId)]));
    },
  };
  return store;
}

test('concurrent loads of the same content read it once', async () => {
  const store = makeStore();
  const contents = createSharedContents(store, encryption);
  const loaded = await Promise.all([
    contents.load([key('a'), key('b')]),
    contents.load([key('b'), key('c')]),
    contents.load([key('a')]),
  ]);
  expect(store.asked).toEqual(['a', 'b', 'c']);
  expect(loaded.map((each) => [...each.keys()].sort())).toEqual([['a', 'b'], ['b', 'c'], ['a']]);
  expect(loaded[2]!.get('a')).toEqual(CONTENT);
  expect(contents.sizeOf('a')).toBe(10);
});

test('a deleted row loads as null beside the rows that exist', async () => {
  const contents = createSharedContents(makeStore(), encryption);
  const loaded = await contents.load([key('gone'), key('a')]);
  expect(loaded.get('gone')).toBeNull();
  expect(loaded.get('a')).toEqual(CONTENT);
});

test('a content whose read failed is read again by the next load', async () => {
  const store = makeStore();
  const contents = createSharedContents(store, encryption);
  store.isAway = true;
  await expect(contents.load([key('a')])).rejects.toThrow('Postgres is away');
  store.isAway = false;
  expect(contents.sizeOf('a')).toBeUndefined();
  expect((await contents.load([key('a')])).get('a')).toEqual(CONTENT);
});

test('the cache keeps the last 16 MiB of contents and drops older ones', async () => {
  const store = makeStore();
  const contents = createSharedContents(store, encryption);
  const size = 4 * 1024 ** 2;
  for (let n = 0; n < 6; n += 1) await contents.load([key(`large-${n}`, size)]);
  const kept = [0, 1, 2, 3, 4, 5].filter((n) => contents.sizeOf(`large-${n}`) !== undefined);
  expect(kept).toEqual([2, 3, 4, 5]);
});
