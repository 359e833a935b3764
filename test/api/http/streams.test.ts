import { afterEach, describe, expect, test } from '@jest/globals';
import { EventStream, type Pieces } from '../../../platform/event-stream.ts';
import { type ServedApi, serveApi } from '../support/serve-api.ts';

let api: ServedApi;
afterEach(() => api.close());

/** An API whose chats are these pieces. */
async function serve(pieces: () => Pieces): Promise<(requestId: string) => Promise<Response>> {
  const stream = async () => ({ generationId: 'gen-1-abc', events: new EventStream(pieces()) });
  api = await serveApi({ chat: { stream, create: async () => Promise.reject(new Error('not asked')) } });
  return (requestId) =>
    fetch(`${api.origin}/api/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer regular-key',
        'content-type': 'application/json',
        'x-request-id': requestId,
      },
      body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'x' }] }),
    });
}

describe('a streamed response', () => {
  test('arrives piece by piece, with its headers', async () => {
    const read = Promise.withResolvers<void>();
    const ask = await serve(async function* () {
      yield 'data: 1\n\n';
      await read.promise;
      return 'data: 2\n\n';
    });
    const answer = await ask('whole');
    const reader = answer.body!.getReader();
    const text = async () => new TextDecoder().decode((await reader.read()).value);
    expect(await text()).toBe('data: 1\n\n');
    read.resolve();
    expect(await text()).toBe('data: 2\n\n');
    expect((await reader.read()).done).toBe(true);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'x-generation-id': 'gen-1-abc',
      'x-request-id': 'whole',
      'cache-control': 'no-store',
    });
    expect(await api.logged({ msg: 'request', requestId: 'whole' })).toMatchObject({ status: 200 });
  });

  test.each(['before its first piece', 'in the middle'])(
    'closes its connection when its source fails %s, and logs the error once',
    async (when) => {
      const ask = await serve(async function* () {
        if (when === 'in the middle') yield 'data: 1\n\n';
        throw new Error('the source dried up');
      });
      await expect(ask('cut').then((answer) => answer.text())).rejects.toThrow();
      await api.logged({ msg: 'request', requestId: 'cut', status: 499 });
      const told = api.logLines.filter(({ level }) => level === 'error');
      expect(told).toMatchObject([{ msg: 'response was cut short', requestId: 'cut' }]);
      expect(JSON.stringify(told)).toContain('the source dried up');
    },
  );

  test('makes its source return when the caller leaves, and logs no error', async () => {
    const returned = Promise.withResolvers<void>();
    const ask = await serve(async function* () {
      try {
        for (;;) {
          yield 'data: 1\n\n';
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        returned.resolve();
      }
    });
    await (await ask('left')).body!.cancel();
    await returned.promise;
    expect(await api.logged({ msg: 'request', requestId: 'left' })).toMatchObject({ status: 499 });
    expect(api.logLines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

test('a large response without a stream arrives whole with its Content-Length', async () => {
  const content = 'ü'.repeat(4 * 1024 ** 2);
  const create = async () => ({
    generationId: 'gen-1-abc',
    answer: { choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }] },
  });
  api = await serveApi({ chat: { create, stream: async () => Promise.reject(new Error('not asked')) } });
  const answer = await fetch(`${api.origin}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer regular-key', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }] }),
  });
  const text = await answer.text();
  expect(Number(answer.headers.get('content-length'))).toBe(Buffer.byteLength(text));
  expect(JSON.parse(text)).toEqual({
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
  });
});
