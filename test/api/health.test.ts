import { expect, test } from '@jest/globals';
import { serveApi } from './support/serve-api.ts';

test('GET /healthz answers 200 without a key', async () => {
  const api = await serveApi();
  expect(await (await fetch(`${api.origin}/healthz`)).json()).toEqual({ status: 'ok' });
  await api.close();
});

test.each([
  [{ postgres: true, temporal: true }, 200, 'ok', { postgres: 'ok', temporal: 'ok' }],
  [{ postgres: true, temporal: false }, 503, 'unavailable', { postgres: 'ok', temporal: 'failed' }],
  [{ postgres: false, temporal: true }, 503, 'unavailable', { postgres: 'failed', temporal: 'ok' }],
])('GET /readyz with %p answers %i %s', async (reached, status, word, checks) => {
  const api = await serveApi({ health: { checkReadiness: async () => reached } });
  const answer = await fetch(`${api.origin}/readyz`);
  expect(answer.status).toBe(status);
  expect(await answer.json()).toEqual({ status: word, checks });
  await api.close();
});
