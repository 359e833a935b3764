import { afterEach, expect, test } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { type ServedApi, serveApi } from '../support/serve-api.ts';

let api: ServedApi;
afterEach(() => api.close());

/** Of the 128 MiB that an organization may hold in a process. */
const MOST = 100 * 1024 ** 2;

/** An API whose chats take most of the memory of their organization, and then wait for the release. */
async function serveChats() {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  let begun = 0;
  api = await serveApi({
    chat: {
      async create({ openMemory }) {
        openMemory().take(MOST);
        begun += 1;
        await held;
        return { generationId: 'gen-1-abc', answer: { choices: [] } };
      },
      stream: () => Promise.reject(new Error('not asked for')),
    },
  });
  const ask = (signal: AbortSignal | null = null): Promise<Response> =>
    fetch(`${api.origin}/api/v1/chat/completions`, {
      method: 'POST',
      signal,
      headers: { authorization: 'Bearer regular-key', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }] }),
    });
  const untilTaken = () =>
    eventually('memory', async () => ((await ask()).status === 429 ? undefined : true));
  const untilBegun = () => eventually('a chat', async () => (begun === 1 ? true : undefined));
  return { ask, untilBegun, untilTaken, release };
}

test('the memory of a request counts for its organization until the response is sent', async () => {
  const { ask, untilBegun, untilTaken, release } = await serveChats();
  const first = ask();
  await untilBegun();
  const refused = await ask();
  expect([refused.status, await refused.json()]).toMatchObject([
    429,
    { error: { metadata: { reason: 'too_many_bytes_of_organization' } } },
  ]);
  release();
  await (await first).arrayBuffer();
  await untilTaken();
});

test('the memory of a request is released when its caller leaves', async () => {
  const { ask, untilBegun, untilTaken, release } = await serveChats();
  const leaving = new AbortController();
  const first = ask(leaving.signal).catch((error: unknown) => error);
  await untilBegun();
  leaving.abort();
  await first;
  release();
  await untilTaken();
});
