import { describe, expect, test } from '@jest/globals';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { InvalidObjectKeyError, ObjectTooLargeError } from '../../platform/object-store.ts';
import type { ObjectStore } from '../../platform/object-store.ts';

const MP4 = { contentType: 'video/mp4' };
const MEBIBYTE = 1024 * 1024;

export interface StoreUnderTest {
  store: ObjectStore;
  /** Everything that lies in the store, unfinished uploads included. */
  leftovers(): Promise<string[]>;
}

/** The promises of ObjectStore, which every kind of store keeps. */
export function describeObjectStore(open: () => Promise<StoreUnderTest>): void {
  const newKey = () => `test/${randomUUID()}/0.mp4`;

  async function read(store: ObjectStore, key: string): Promise<Buffer | null> {
    const opened = await store.open(key);
    return opened === null ? null : buffer(opened.body);
  }

  describe('put', () => {
    test.each([
      ['nothing', 0],
      ['one byte', 1],
      ['a few kilobytes', 10_000],
      ['exactly one part of an S3 upload', 8 * MEBIBYTE],
      ['one part and one byte', 8 * MEBIBYTE + 1],
      ['two parts', 16 * MEBIBYTE],
    ])('stores %s and returns size and hash', async (_what, size) => {
      const { store } = await open();
      const key = newKey();
      const bytes = randomBytes(size);
      expect(await store.put(key, bodyOf(bytes), MP4)).toEqual({
        bytes: size,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      });
      expect((await read(store, key))?.equals(bytes)).toBe(true);
    });

    test('replaces an object, while a reader of the old bytes keeps them', async () => {
      const { store } = await open();
      const key = newKey();
      await store.put(key, bodyOf(Buffer.from('old')), MP4);
      const reader = await store.open(key);
      await store.put(key, bodyOf(Buffer.from('new bytes')), MP4);
      expect(reader === null ? '' : (await buffer(reader.body)).toString()).toBe('old');
      expect((await read(store, key))?.toString()).toBe('new bytes');
    });

    test('leaves one body whole when three are put at once', async () => {
      const { store } = await open();
      const key = newKey();
      const bodies = [randomBytes(300_000), randomBytes(200_000), randomBytes(100_000)];
      await Promise.all(bodies.map((bytes) => store.put(key, bodyOf(bytes), MP4)));
      const stored = await read(store, key);
      expect(bodies.filter((bytes) => stored?.equals(bytes) === true)).toHaveLength(1);
    });

    test('hides the object until its last byte is stored', async () => {
      const { store } = await open();
      const key = newKey();
      let finish: () => void = () => undefined;
      const finished = new Promise<void>((resolve) => (finish = resolve));
      const slow = Readable.from(
        (async function* () {
          yield randomBytes(100);
          expect(await store.open(key)).toBeNull();
          await finished;
          yield randomBytes(100);
        })(),
      );
      const put = store.put(key, slow, MP4);
      await nextTurn();
      finish();
      expect(await put).toMatchObject({ bytes: 200 });
      expect(await read(store, key)).toHaveLength(200);
    });

    test.each([
      ['in one part', 1_000],
      ['in several parts', 9 * MEBIBYTE],
    ])('refuses a body over the limit, %s, destroys it and leaves nothing', async (_what, maxBytes) => {
      const { store, leftovers } = await open();
      const key = newKey();
      const before = await leftovers();
      const body = bodyOf(randomBytes(maxBytes + 1));
      await expect(store.put(key, body, { ...MP4, maxBytes })).rejects.toEqual(
        new ObjectTooLargeError(maxBytes),
      );
      expect(body.destroyed).toBe(true);
      expect(await store.open(key)).toBeNull();
      expect(await leftovers()).toEqual(before);
    });

    test('accepts a body of exactly the limit', async () => {
      const { store } = await open();
      expect(
        await store.put(newKey(), bodyOf(randomBytes(1_000)), { ...MP4, maxBytes: 1_000 }),
      ).toMatchObject({
        bytes: 1_000,
      });
    });

    test.each([
      ['at once', 0],
      ['in the middle of the second part', 9 * MEBIBYTE],
    ])('keeps the old object and nothing else when the body breaks %s', async (_what, size) => {
      const { store, leftovers } = await open();
      const key = newKey();
      await store.put(key, bodyOf(Buffer.from('old')), MP4);
      const before = await leftovers();
      const broken = new Error('the provider hung up');
      const body = Readable.from(
        (async function* () {
          yield randomBytes(size);
          await nextTurn();
          throw broken;
        })(),
      );
      await expect(store.put(key, body, MP4)).rejects.toBe(broken);
      expect((await read(store, key))?.toString()).toBe('old');
      expect(await leftovers()).toEqual(before);
    });
  });

  describe('open', () => {
    const bytes = Buffer.from('0123456789');

    test('returns null for a missing object, also below or above an existing one', async () => {
      const { store } = await open();
      const key = newKey();
      await store.put(key, bodyOf(bytes), MP4);
      expect(await store.open(newKey())).toBeNull();
      expect(await store.open(`${key}/below`)).toBeNull();
      expect(await store.open(key.slice(0, key.lastIndexOf('/')))).toBeNull();
    });

    test.each([
      [{ start: 0, end: 0 }, '0'],
      [{ start: 2, end: 5 }, '2345'],
      [{ start: 9, end: 9 }, '9'],
      [{ start: 5, end: 99 }, '56789'],
    ])('gives the range %j and the whole size', async (range, expected) => {
      const { store } = await open();
      const key = newKey();
      await store.put(key, bodyOf(bytes), MP4);
      const opened = await store.open(key, range);
      expect(opened?.bytes).toBe(10);
      expect(opened === null ? '' : (await buffer(opened.body)).toString()).toBe(expected);
    });

    test.each([
      { start: 10, end: 10 },
      { start: 5, end: 4 },
      { start: -1, end: 4 },
    ])('refuses the range %j', async (range) => {
      const { store } = await open();
      const key = newKey();
      await store.put(key, bodyOf(bytes), MP4);
      await expect(store.open(key, range)).rejects.toThrow(RangeError);
    });
  });

  describe('delete', () => {
    test('removes the object, and succeeds when repeated', async () => {
      const { store, leftovers } = await open();
      const key = newKey();
      const before = await leftovers();
      await store.put(key, bodyOf(Buffer.from('x')), MP4);
      await store.delete(key);
      await store.delete(key);
      expect(await store.open(key)).toBeNull();
      expect(await leftovers()).toEqual(before);
    });

    test('leaves concurrent puts in the same folder intact', async () => {
      const { store } = await open();
      const folder = `test/${randomUUID()}`;
      const rounds = Array.from({ length: 20 }, (_, round) => round);
      await Promise.all(
        rounds.map(async (round) => {
          await store.put(`${folder}/gone-${round}`, bodyOf(Buffer.from('x')), MP4);
          await Promise.all([
            store.delete(`${folder}/gone-${round}`),
            store.put(`${folder}/kept-${round}`, bodyOf(Buffer.from('y')), MP4),
          ]);
        }),
      );
      for (const round of rounds)
        expect((await read(store, `${folder}/kept-${round}`))?.toString()).toBe('y');
    });
  });

  describe('a key', () => {
    test.each([
      '',
      '/absolute',
      '../escape',
      'a/../../escape',
      'a/./b',
      'a//b',
      'a/',
      '.incoming/x',
      'a/.hidden',
      'a\\b',
      'a\0b',
      'a b',
      'ä',
      'a%2e%2e/b',
      'x'.repeat(513),
    ])('fails every operation when it is %j', async (key) => {
      const { store, leftovers } = await open();
      const before = await leftovers();
      const body = bodyOf(Buffer.from('x'));
      await expect(store.put(key, body, MP4)).rejects.toThrow(InvalidObjectKeyError);
      await expect(store.open(key)).rejects.toThrow(InvalidObjectKeyError);
      await expect(store.delete(key)).rejects.toThrow(InvalidObjectKeyError);
      expect(body.destroyed).toBe(true);
      expect(await leftovers()).toEqual(before);
    });
  });
}

/** As a network would bring it: in pieces of 64 KiB. */
function bodyOf(bytes: Buffer): Readable {
  return Readable.from(
    (async function* () {
      for (let offset = 0; offset < bytes.length; offset += 65_536)
        yield bytes.subarray(offset, offset + 65_536);
    })(),
  );
}
