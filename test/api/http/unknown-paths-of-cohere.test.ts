import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { serveApi, type ServedApi } from '../support/serve-api.ts';

let api: ServedApi;
beforeAll(async () => {
  api = await serveApi();
});
afterAll(() => api.close());

test.each([
  ['GET', '/api/v2/rerank', 405],
  ['POST', '/api/v2/embed', 404],
  ['GET', '/api/v2/%ff', 400],
])("%s %s answers an error in the envelope of Cohere's clients", async (method, path, status) => {
  const response = await fetch(`${api.origin}${path}`, { method });
  expect(response.status).toBe(status);
  const body = await response.json();
  expect(body).toMatchObject({ message: expect.any(String) });
  expect(body).not.toHaveProperty('error');
});
