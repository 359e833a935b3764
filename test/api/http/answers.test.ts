import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { AppError } from '../../../domain/errors.ts';
import { asRegular } from '../support/fake-services.ts';
import { serveApi, type ServedApi } from '../support/serve-api.ts';

const failures: Record<string, unknown> = {
  unexpected: new Error('connect ECONNREFUSED postgres:5432'),
  'not-even-an-error': 'a string',
  known: new AppError('insufficient_credits', {
    publicMessage: 'Insufficient credits. Add credits at https://example.com/credits',
    retryAfterSeconds: 7,
    cause: new Error('balance of account 12 is 0'),
  }),
  'of-customer': new AppError('provider_error', { isOfCustomer: true }),
  'of-operator': new AppError('provider_error', { isOfCustomer: false }),
  detailed: new AppError('conflict', { reason: 'job_already_ended', retryable: false }),
};

let api: ServedApi;
beforeAll(async () => {
  api = await serveApi({
    videos: {
      get: async (_principal, jobId) => {
        throw failures[jobId] ?? new AppError('not_found');
      },
    },
    keyInfo: { describeKey: async () => ({ label: 1n }) as never },
  });
});
afterAll(() => api.close());

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${api.origin}/api/v1${path}`, { headers: { ...asRegular, ...headers } });

describe('an error', () => {
  test.each(['unexpected', 'not-even-an-error'])(
    'answers 500 without details when it is %s',
    async (name) => {
      const answer = await get(`/videos/${name}`);
      expect(answer.status).toBe(500);
      expect(await answer.json()).toEqual({
        error: {
          code: 500,
          message: 'Internal Server Error',
          metadata: { reason: 'internal', retryable: true },
        },
      });
    },
  );

  test('reaches the log with the request id when it is unexpected', async () => {
    await get('/videos/unexpected', { 'x-request-id': 'find-me' });
    const line = await api.logged({ msg: 'request failed', requestId: 'find-me' });
    expect(JSON.stringify(line)).toContain('ECONNREFUSED');
  });

  test.each([
    ['of-customer', 'warn'],
    ['of-operator', 'error'],
  ])('reaches the log for an upstream %s with level %s', async (name, level) => {
    await get(`/videos/${name}`, { 'x-request-id': `failed-${name}` });
    const line = await api.logged({ requestId: `failed-${name}`, code: 'provider_error' });
    expect(line['level']).toBe(level);
  });

  test('shows its public message and Retry-After, and hides its cause', async () => {
    const answer = await get('/videos/known');
    expect(answer.status).toBe(402);
    expect(answer.headers.get('retry-after')).toBe('7');
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const text = await answer.text();
    expect(text).toContain('https://example.com/credits');
    expect(text).toContain('"retry_after_seconds":7');
    expect(text).not.toContain('account 12');
  });

  test('keeps its own reason and retry verdict', async () => {
    expect(await (await get('/videos/detailed')).json()).toEqual({
      error: {
        code: 409,
        message: 'Resource conflict',
        metadata: { reason: 'job_already_ended', retryable: false },
      },
    });
  });

  test('answers 500 when the response cannot be serialized', async () => {
    expect((await get('/key')).status).toBe(500);
  });

  test('sends no body in the response to HEAD', async () => {
    const answer = await fetch(`${api.origin}/api/v1/videos/x`, { method: 'HEAD', headers: asRegular });
    expect(answer.status).toBe(404);
    expect(await answer.text()).toBe('');
  });
});

describe('a response', () => {
  test.each([
    ['/api/v1/videos/models', 200],
    ['/api/v1/videos/none', 404],
    ['/nowhere', 404],
    ['/healthz', 200],
  ])('carries a request id and no-store: %s', async (path, status) => {
    const answer = await fetch(api.origin + path, { headers: asRegular });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9A-Za-z]{24}$/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test("keeps the caller's well-formed request id", async () => {
    const id = `Trace_1.${'a'.repeat(119)}`;
    expect((await get('/videos/models', { 'x-request-id': id })).headers.get('x-request-id')).toBe(id);
  });

  test.each([`${'a'.repeat(129)}`, 'two words', 'a/b', 'é'])(
    'replaces the malformed request id %p',
    async (id) => {
      const answer = await get('/videos/models', { 'x-request-id': id });
      expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
    },
  );

  test('logs one line without the query of a signed URL', async () => {
    const path = '/api/v1/videos/x/outputs/0';
    await fetch(`${api.origin}${path}?expires=1&signature=secret`, { headers: { 'x-request-id': 'logged' } });
    const line = await api.logged({ msg: 'request', requestId: 'logged' });
    expect(line).toMatchObject({ method: 'GET', path, status: 404, operation: 'getVideoOutput' });
    expect(JSON.stringify(line)).not.toContain('secret');
  });
});
