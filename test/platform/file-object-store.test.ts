import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createObjectStore } from '../../platform/create-object-store.ts';
import { describeObjectStore } from './object-store-suite.ts';

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-objects-'));
});

afterAll(async () => {
  await rm(directory, { recursive: true });
});

function openStore() {
  return createObjectStore({ kind: 'file', directory });
}

/** Directories count too: neither an aborted put nor a delete leaves an empty one. */
async function leftovers(): Promise<string[]> {
  return (await readdir(directory, { recursive: true })).sort();
}

describe('a file store', () => {
  describeObjectStore(async () => ({ store: await openStore(), leftovers }));

  test('creates its directory, readable by nobody else', async () => {
    const nested = join(directory, 'made/on/demand');
    const store = await createObjectStore({ kind: 'file', directory: nested });
    await store.put('a/b', Readable.from([Buffer.from('x')]), { contentType: 'text/plain' });
    const modes = await Promise.all(
      [nested, join(nested, 'a'), join(nested, 'a/b')].map((path) => stat(path)),
    );
    expect(modes.map(({ mode }) => (mode & 0o777).toString(8))).toEqual(['700', '700', '600']);
  });

  test('removes uploads that a dead process left, and keeps those under way', async () => {
    await openStore();
    const abandoned = join(directory, '.incoming', 'abandoned');
    const underWay = join(directory, '.incoming', 'under-way');
    await Promise.all([abandoned, underWay].map((path) => writeFile(path, 'half a video')));
    const twoDaysAgo = Date.now() / 1000 - 2 * 86_400;
    await utimes(abandoned, twoDaysAgo, twoDaysAgo);
    await openStore();
    expect(await readdir(join(directory, '.incoming'))).toEqual(['under-way']);
    await rm(underWay);
  });
});
