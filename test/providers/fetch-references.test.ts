import { describe, expect, test } from '@jest/globals';
import { ProviderError } from '../../domain/provider-error.ts';
import type { CallContext } from '../../providers/call-context.ts';
import { fetchReferences, type LoadReference } from '../../providers/fetch-references.ts';
import { failureOf } from './text-adapter-under-test.ts';

const MIB = 1024 ** 2;
const context = (signal = new AbortController().signal): CallContext => ({ signal, requestId: 'r' });
const given = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ url: `https://media.example/${at}`, field: `things.${at}` }));
const sized =
  (bytes: number): LoadReference =>
  async () => ({ bytes: new Uint8Array(bytes), contentType: 'image/png' });

describe('references given by URL', () => {
  test('come back in order, fetched four at a time', async () => {
    let [now, most] = [0, 0];
    const load: LoadReference = async (url) => {
      now += 1;
      most = Math.max(most, now);
      await new Promise(setImmediate);
      now -= 1;
      return { bytes: new Uint8Array(1), contentType: url };
    };
    const loaded = await fetchReferences(given(16), 'pictures', load, context());
    expect(loaded.map(({ contentType }) => contentType)).toEqual(given(16).map(({ url }) => url));
    expect(most).toBe(4);
  });

  test('fail without a fetch when more than 16 are given', async () => {
    let fetched = 0;
    const load: LoadReference = async () => {
      fetched += 1;
      return { bytes: new Uint8Array(1), contentType: '' };
    };
    const error = await failureOf(fetchReferences(given(17), 'clips', load, context()));
    expect(error).toMatchObject({
      code: 'invalid_request',
      issue: { path: 'body', message: 'must give at most 16 clips by address' },
    });
    expect(fetched).toBe(0);
  });

  test('fail beyond 32 MiB together', async () => {
    expect(await fetchReferences(given(2), 'clips', sized(16 * MIB), context())).toHaveLength(2);
    const error = await failureOf(fetchReferences(given(3), 'clips', sized(16 * MIB), context()));
    expect(error).toMatchObject({
      code: 'invalid_request',
      issue: { path: 'body', message: 'must give at most 32 MiB of clips by address' },
    });
  });

  test('fail naming the one that cannot be fetched, and abort the others', async () => {
    const broken = new ProviderError({
      code: 'not_connected',
      sent: false,
      retryable: true,
      publicMessage: 'Gone',
    });
    const left: string[] = [];
    const load: LoadReference = (url, { signal }) =>
      new Promise((_, reject) => {
        if (url.endsWith('/2')) return reject(broken);
        signal.addEventListener('abort', () => {
          left.push(url);
          reject(new Error('aborted'));
        });
      });
    const error = await failureOf(fetchReferences(given(3), 'pictures', load, context()));
    expect(error).toMatchObject({
      code: 'invalid_request',
      retryable: false,
      issue: { path: 'body.things.2', message: 'could not be fetched' },
    });
    expect(left).toHaveLength(2);
  });

  test('fail as aborted when the caller leaves', async () => {
    const leaving = new AbortController();
    const load: LoadReference = (_url, { signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    const fetching = failureOf(fetchReferences(given(1), 'clips', load, context(leaving.signal)));
    leaving.abort();
    expect(await fetching).toMatchObject({ code: 'aborted' });
  });
});
