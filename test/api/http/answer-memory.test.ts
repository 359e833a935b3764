import { afterEach, expect, test } from '@jest/globals';
import { createAnswersInFlight } from '../../../platform/answers-in-flight.ts';
import { NO_METRICS } from '../../../platform/metrics.ts';
import { eventually } from '../../support/eventually.ts';
import { type ServedApi, serveApi } from '../support/serve-api.ts';

const MIB = 1024 ** 2;

let api: ServedApi;
afterEach(() => api.close());

/** An API whose chats take all the memory of their key, of which the second one waits for some. */
async function serveChats() {
  const held = Promise.withResolvers<void>();
  let begun = 0;
  const answers = createAnswersInFlight({
    memoryBytes: 8 * MIB,
    maxTextBytes: MIB,
    maxEventBytes: MIB,
    maxMediaBytes: MIB,
    metrics: NO_METRICS,
  });
  const chat = {
    async create({ answer }: { answer: { add(bytes: number): void; room(): Promise<void> | undefined } }) {
      answer.add(MIB);
      begun += 1;
      await Promise.all([held.promise, answer.room()]);
      return { generationId: 'gen-1-abc', answer: { choices: [] } };
    },
    stream: () => Promise.reject(new Error('not asked for')),
  };
  api = await serveApi({ chat }, NO_METRICS, [], answers);
  const ask = (signal: AbortSignal | null = null): Promise<Response> =>
    fetch(`${api.origin}/api/v1/chat/completions`, {
      method: 'POST',
      signal,
      headers: { authorization: 'Bearer regular-key', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }] }),
    });
  const untilBegun = (count: number) =>
    eventually('the chats', async () => (begun === count ? true : undefined));
  return { ask, untilBegun, release: held.resolve };
}

test('a request answers 429 before its upstream call while answers of its key wait', async () => {
  const { ask, untilBegun, release } = await serveChats();
  const answering = [ask(), ask()];
  await untilBegun(2);
  const refused = await ask();
  expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toMatchObject([
    429,
    '5',
    { error: { metadata: { reason: 'too_many_answer_bytes_of_key' } } },
  ]);
  release();
  for (const response of await Promise.all(answering)) {
    await response.arrayBuffer();
    expect(response.status).toBe(200);
  }
  expect((await ask()).status).toBe(200);
});

test('the memory of an answer is released when its caller leaves', async () => {
  const { ask, untilBegun, release } = await serveChats();
  const leaving = new AbortController();
  const left = [ask(leaving.signal), ask(leaving.signal)].map((one) => one.catch((error: unknown) => error));
  await untilBegun(2);
  leaving.abort();
  await Promise.all(left);
  release();
  await eventually('memory', async () => ((await ask()).status === 200 ? true : undefined));
});
