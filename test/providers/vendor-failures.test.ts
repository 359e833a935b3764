/** Checks that every operation of every adapter tells the failures of its vendor apart, in the vendor's own words. */
import { describe, expect, test } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import type { ProviderError } from '../../domain/provider-error.ts';
import { PUBLIC_MESSAGES } from '../../providers/public-message.ts';
import { failureOf } from './text-adapter-under-test.ts';
import { allOf, type VendorExchange } from './vendor-exchange.ts';
import { EXCHANGES } from './vendor-exchanges.ts';
import { setUpVendorOfAnswers } from './vendor-of-answers.ts';

const vendor = setUpVendorOfAnswers();
/** Its events are binary frames, so that suites which change JSON cannot list it. */
const CONVERSE_STREAM: Omit<VendorExchange, 'answer' | 'decides'> = {
  operation: 'a stream of Converse',
  adapters: ['bedrock'],
  ask({ messages }, context) {
    const request = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
    return allOf(messages!.stream(request, context));
  },
};
const calls = [...EXCHANGES, CONVERSE_STREAM].flatMap(({ operation, adapters, ask }) =>
  adapters.map((adapter) => ({ name: `${operation} of ${adapter}`, adapter, ask })),
);

const openAi = (message: string, code?: string) => ({ error: { message, code } });
const anthropic = (type: string, message: string) => ({ type: 'error', error: { type, message } });
const google = (code: number, message: string, status: string) => ({ error: { code, message, status } });

type Refusal = [status: number, body: object];
/** The words of vendors for an account without credit, and for a model that they no longer have. */
const WORDS: Record<string, { empty: Refusal; gone: Refusal }> = {
  openai: {
    empty: [429, openAi('You exceeded your current quota', 'insufficient_quota')],
    gone: [404, openAi('The model `m` has been deprecated', 'model_not_found')],
  },
  azure: {
    empty: [429, openAi('You exceeded your current quota', 'insufficient_quota')],
    gone: [404, openAi('The API deployment for this resource does not exist.', 'DeploymentNotFound')],
  },
  anthropic: {
    empty: [400, anthropic('invalid_request_error', 'Your credit balance is too low to access the API.')],
    gone: [404, anthropic('not_found_error', 'model: claude-2.0')],
  },
  google: {
    empty: [429, google(429, 'Your prepayment credits are depleted.', 'RESOURCE_EXHAUSTED')],
    gone: [404, google(404, 'This model models/m is no longer available.', 'NOT_FOUND')],
  },
  'google-vertex': {
    empty: [403, google(403, 'This API method requires billing to be enabled.', 'PERMISSION_DENIED')],
    gone: [404, google(404, 'Publisher Model `projects/p/models/m` was not found', 'NOT_FOUND')],
  },
  bedrock: {
    empty: [403, { message: 'Your account is suspended' }],
    gone: [404, { message: 'This model version has reached the end of its life.' }],
  },
  fal: {
    empty: [403, { detail: 'User is locked. Reason: Exhausted balance.' }],
    gone: [
      422,
      { detail: { error: 'EndpointDeprecated', message: 'This endpoint is no longer supported.' } },
    ],
  },
};
/** The words of Jina, Cohere, Voyage and Replicate, and of servers that say no more than the status. */
const OTHER_WORDS: { empty: Refusal; gone: Refusal } = {
  empty: [402, { detail: 'Account balance not enough to run this query, please recharge.' }],
  gone: [404, { message: "model 'm' not found, make sure the correct model ID was used" }],
};

const EMPTY = { code: 'unauthorized', retryable: false } as const;
const failures = (
  adapter: string,
): [what: string, status: number, body: unknown, error: Partial<ProviderError>][] => {
  const { empty, gone } = WORDS[adapter] ?? OTHER_WORDS;
  return [
    ['a refused key', 401, { error: { message: 'Key of Example Inc.' } }, EMPTY],
    ['an empty account', ...empty, EMPTY],
    ['a model that is gone', ...gone, { code: 'not_found', retryable: false, isModelGone: true }],
    [
      'another thing that is not there',
      404,
      { message: 'Nothing here' },
      { code: 'not_found', isModelGone: false },
    ],
    ['a model that has left', 410, { detail: 'Gone' }, { code: 'not_found', isModelGone: true }],
    ['a timeout', 408, {}, { code: 'timeout', retryable: true }],
    ['a limit', 429, { detail: 'Slow down' }, { code: 'rate_limited', retryable: true }],
    ['a broken server', 500, { detail: 'Broken' }, { code: 'server_error', retryable: true }],
    [
      'a page of a proxy',
      502,
      '<html><title>Bad Gateway</title></html>',
      { code: 'server_error', retryable: true },
    ],
    ['an overload', 503, '', { code: 'overloaded', retryable: true }],
    ['a late gateway', 504, 'upstream request timeout', { code: 'timeout', retryable: true }],
  ];
};

describe.each(calls)('$name', ({ adapter, ask }) => {
  const failure = () => failureOf(ask(vendor.provider(adapter), vendor.newContext()));

  test('tells refusals apart', async () => {
    const seen: [string, ProviderError][] = [];
    for (const [what, status, body] of failures(adapter)) {
      vendor.answerWith(status, 'application/json', typeof body === 'string' ? body : JSON.stringify(body));
      seen.push([what, await failure()]);
    }
    expect(seen).toMatchObject(
      failures(adapter).map(([what, status, , error]) => [what, { ...error, status }]),
    );
    // None of them is about the request, so that no word of the vendor reaches a customer.
    for (const [, { code, publicMessage }] of seen) expect(publicMessage).toBe(PUBLIC_MESSAGES[code]);
  });

  test.each<[string | undefined, number | undefined]>([
    ['7', 7_000],
    ['2.5', 2_500],
    ['soon', undefined],
    [undefined, undefined],
  ])('waits for Retry-After %j', async (wait, retryAfterMs) => {
    const headers = wait === undefined ? {} : { 'retry-after': [wait] };
    for (const status of [429, 503]) {
      vendor.answerWith(status, 'application/json', '{}', headers);
      expect([status, (await failure()).retryAfterMs]).toEqual([status, retryAfterMs]);
    }
  });

  test.each(['<html><title>Welcome</title></html>', ' <!doctype html>', '{"half":'])(
    'fails as invalid_response for %j as a success',
    async (body) => {
      for (const type of ['text/html', 'application/json', 'text/event-stream']) {
        vendor.answerWith(200, type, body);
        expect(await failure()).toMatchObject({ code: 'invalid_response', retryable: true, sent: true });
      }
    },
  );

  test.each<[string, (response: ServerResponse) => void]>([
    ['before its answer', (response) => void response.destroy()],
    [
      'in the middle of its answer',
      (response) =>
        void response
          .writeHead(200, { 'content-type': 'application/json', 'content-length': 100 })
          .write('{"half":', () => response.destroy()),
    ],
  ])('fails as connection_lost when the vendor leaves %s', async (_, leave) => {
    vendor.answerBy(leave);
    expect(await failure()).toMatchObject({ code: 'connection_lost', retryable: true, sent: true });
  });

  test('fails as aborted when the caller leaves, and closes the connection', async () => {
    const leaving = new AbortController();
    const closed = Promise.withResolvers<void>();
    vendor.answerBy((response) => {
      response.once('close', () => closed.resolve());
      leaving.abort();
    });
    const context = { ...vendor.newContext(), signal: leaving.signal };
    const error = await failureOf(ask(vendor.provider(adapter), context));
    expect(error).toMatchObject({ code: 'aborted', retryable: false, sent: true });
    await closed.promise;
  });

  test('fails as timeout when the vendor stays silent', async () => {
    const brief = { firstByteMs: 40, attemptMs: 40, idleMs: 40 };
    const ofVideos = { jsonMs: 40, submitMs: 40 };
    vendor.answerBy(() => {});
    const asked = ask(vendor.provider(adapter, ofVideos), vendor.newContext(brief));
    expect(await failureOf(asked)).toMatchObject({ code: 'timeout', retryable: true });
  });
});
