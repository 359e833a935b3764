import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ReceivedCallback } from '../../../services/videos/callbacks/callback-service.ts';
import { openRaw } from '../support/raw-request.ts';
import { serveApi, type ServedApi } from '../support/serve-api.ts';

const received: ReceivedCallback[] = [];
let api: ServedApi;
beforeAll(async () => {
  api = await serveApi({
    callbacks: {
      admits: ({ provider, job }) =>
        provider === 'known' && (job === undefined || (job.id === 'job' && job.token === 'right')),
      receive: async (callback) => {
        received.push(callback);
        return true;
      },
    },
  });
});
afterAll(() => api.close());

/** Announces a body and sends nothing of it. */
async function announce(path: string, bytes: number, contentType = 'application/json'): Promise<string> {
  const raw = openRaw(api.port);
  const lines = [
    `POST /api/v1/provider-callbacks/${path} HTTP/1.1`,
    'Host: gateway',
    'X-Request-Id: same',
    `Content-Type: ${contentType}`,
    `Content-Length: ${bytes}`,
  ];
  raw.socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const answer = await raw.until('}}');
  raw.socket.destroy();
  return answer.replace(/^Date: .*\r\n/m, '');
}

test.each([
  ['without a token', 'known/job'],
  ['with an empty token', 'known/job?token='],
  ['with a wrong token', 'known/job?token=wrong'],
  ['with two tokens', 'known/job?token=right&token=right'],
  ['about another job', 'known/other?token=right'],
  ['of another provider', 'other/job?token=right'],
  ['that nothing can prove', 'other'],
])('a callback %s answers 404 before its body is read', async (_which, path) => {
  const unknown = await announce('nobody/nothing', 2);
  expect(unknown).toMatch(/^HTTP\/1\.1 404 /);
  expect(await announce(path, 2)).toBe(unknown);
  expect(await announce(path, 1024 ** 3)).toBe(unknown);
  expect(await announce(path, 2, 'text/plain')).toBe(unknown);
  expect(received).toEqual([]);
});

test.each([
  ['with the right token', 'known/job?token=right'],
  ['that a signature may prove', 'known'],
])('a callback %s answers 413 for its length and 415 for its type', async (_which, path) => {
  expect(await announce(path, 1024 ** 3)).toMatch(/^HTTP\/1\.1 413 /);
  expect(await announce(path, 2, 'text/plain')).toMatch(/^HTTP\/1\.1 415 /);
});
