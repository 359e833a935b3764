import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { serveApi, type ServedApi } from '../support/serve-api.ts';

let api: ServedApi;
beforeAll(async () => {
  api = await serveApi();
});
afterAll(() => api.close());

const version = { 'anthropic-version': '2023-06-01' };

async function ask(method: string, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${api.origin}${path}`, { method, headers });
  return { response, text: await response.text() };
}

describe("the base URL of Anthropic's clients", () => {
  test.each(['/api', '/api/'])('answers HEAD %s without a key and without a body', async (path) => {
    const { response, text } = await ask('HEAD', path);
    expect(response.status).toBe(200);
    expect(text).toBe('');
  });

  test('answers GET /api with OK', async () => {
    const { response, text } = await ask('GET', '/api');
    expect([response.status, text]).toEqual([200, 'OK']);
  });

  test.each<[string, string, Record<string, string>, number, string]>([
    ['POST', '/api/v1/messages/batches', {}, 404, 'not_found_error'],
    ['GET', '/api/v1/messages', {}, 405, 'invalid_request_error'],
    ['GET', '/api/v1/messages/count_tokens', {}, 405, 'invalid_request_error'],
    ['GET', '/api/v1/messages/%', {}, 400, 'invalid_request_error'],
    ['GET', '/api/v1/files', version, 404, 'not_found_error'],
    ['POST', '/api/event_logging/batch', version, 404, 'not_found_error'],
    ['DELETE', '/api/v1/models', version, 405, 'invalid_request_error'],
    ['GET', '/api/v1/keys', version, 401, 'authentication_error'],
  ])("answers %s %s with an error in Anthropic's envelope", async (method, path, headers, status, type) => {
    const { response, text } = await ask(method, path, headers);
    const requestId = response.headers.get('x-request-id');
    expect(response.status).toBe(status);
    expect(response.headers.get('request-id')).toBe(requestId);
    expect(JSON.parse(text)).toMatchObject({ type: 'error', error: { type }, request_id: requestId });
  });

  test.each<[string, string, Record<string, string>, number]>([
    ['GET', '/api/v1/files', {}, 404],
    ['GET', '/api/v1/messagesx', {}, 404],
    ['GET', '/api/v1/keys', {}, 401],
    ['GET', '/api/v1/interns/a/egress/https/api.example.com/v1/models', version, 401],
  ])(
    'answers %s %s of other clients with an error in the usual envelope',
    async (method, path, headers, status) => {
      const { response, text } = await ask(method, path, headers);
      expect(response.status).toBe(status);
      expect(response.headers.get('request-id')).toBeNull();
      expect(JSON.parse(text)).toMatchObject({ error: { code: status } });
    },
  );
});
