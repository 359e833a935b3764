import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { request } from 'node:http';
import { asRegular } from '../support/fake-services.ts';
import { serveApi, type ServedApi } from '../support/serve-api.ts';

let api: ServedApi;
beforeAll(async () => {
  api = await serveApi();
});
afterAll(() => api.close());

/** Sends the path as it is; `fetch` would tidy it up. */
function send(method: string, path: string): Promise<{ status: number; allow: string | undefined }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; allow: string | undefined }>();
  request({ port: api.port, host: '127.0.0.1', method, path }, (response) => {
    response.resume().once('end', () => {
      resolve({ status: response.statusCode ?? 0, allow: response.headers.allow });
    });
  })
    .once('error', reject)
    .end();
  return promise;
}

describe('a request without a key', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/api/v1'],
    ['GET', '/api/v1/nothing'],
    ['POST', '/api/v1/videos/x/y/z'],
    ['GET', '/API/V1/videos'],
    ['GET', '//api/v1/videos'],
    ['GET', '/api/v1/videos/%2e%2e/key'],
    ['GET', '/docs/assets/unknown.js'],
    ['GET', '/docs/assets/..%2fpackage.json'],
  ])('answers 404 to %s %s', async (method, path) => {
    expect((await send(method, path)).status).toBe(404);
  });

  test.each([
    ['PUT', '/api/v1/videos', 'GET, HEAD, POST'],
    ['DELETE', '/api/v1/videos/models', 'GET, HEAD'],
    ['GET', '/api/v1/videos/x/cancel', 'POST'],
    ['PATCH', '/api/v1/key', 'GET, HEAD'],
    ['OPTIONS', '/api/v1/videos', 'GET, HEAD, POST'],
    ['POST', '/docs', 'GET, HEAD'],
  ])('answers 405 to %s %s with the allowed methods', async (method, path, allow) => {
    expect(await send(method, path)).toEqual({ status: 405, allow });
  });

  test('answers 400 when its path is not percent-encoded UTF-8', async () => {
    for (const path of ['/api/v1/videos/%', '/api/v1/videos/%E0%A4%A', '/api/v1/videos/%ff/content']) {
      expect((await send('GET', path)).status).toBe(400);
    }
  });
});

test('a trailing slash leads to the same operation', async () => {
  expect((await send('GET', '/api/v1/videos/')).status).toBe(401);
  expect((await send('GET', '/healthz/')).status).toBe(200);
});

test('a literal path takes precedence over a parameter', async () => {
  const answer = await fetch(`${api.origin}/api/v1/videos/models`, { headers: asRegular });
  expect(await answer.json()).toEqual({ data: [] });
});

test('a malformed path answers 404 where its operation has no 400', async () => {
  const path = `${api.origin}/api/v1/videos/x/outputs/first?expires=1&signature=x`;
  expect((await fetch(path)).status).toBe(400);
  const headers = { authorization: 'Bearer management-key' };
  const replay = await fetch(`${api.origin}/api/v1/webhooks/deliveries/1/replay`, {
    method: 'POST',
    headers,
  });
  expect(replay.status).toBe(404);
});

test('invalid query parameters answer 400 with one issue each', async () => {
  const answer = await fetch(`${api.origin}/api/v1/videos?limit=0&offset=x&status=done&status=failed`, {
    headers: asRegular,
  });
  expect(await answer.json()).toEqual({
    error: {
      code: 400,
      message: 'Invalid request parameters: query.limit must be at least 1',
      metadata: {
        reason: 'invalid_request',
        retryable: false,
        issues: [
          { path: 'query.limit', message: 'must be at least 1' },
          { path: 'query.offset', message: 'must be a whole number' },
          {
            path: 'query.status',
            message: 'must be one of pending, in_progress, completed, failed, cancelled, expired',
          },
        ],
      },
    },
  });
});
