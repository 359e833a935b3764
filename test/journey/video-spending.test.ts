import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parseUsd } from '../../domain/money.ts';
import { addKey } from '../support/accounts.ts';
import { createCaller, errorOf } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { submit } from '../support/jobs.ts';

let gateway: Gateway;

beforeAll(async () => {
  // No counter is read again within the test.
  gateway = await startGateway({ env: { SPENDING_REFRESH: '1m' } });
});

afterAll(() => gateway.close());

test('a video job counts at once against the limit that chat is checked by', async () => {
  // One job of the canned model costs a cent, and the chat below reserves a fifth of one.
  const key = await addKey(gateway, { limitNanos: parseUsd('0.012') });
  const caller = createCaller(gateway.origin, key.token);
  const chat = () =>
    caller.call('POST', '/chat/completions', {
      body: { model: 'local/echo-1', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1_000 },
    });
  expect((await chat()).status).toBe(200);
  await submit(caller);
  expect(await errorOf(await chat())).toMatchObject({ code: 402, message: 'Key limit exceeded' });
});
