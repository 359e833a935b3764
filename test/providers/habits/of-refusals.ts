/** Lists refusals as vendors of OpenAI's wire send them, each with the error that the gateway makes of it. */
import { expect } from '@jest/globals';
import type { ProviderError } from '../../../domain/provider-error.ts';
import type { Answer, Habit } from './habit.ts';

const SLOW = { error: { message: 'slow down', type: 'rate_limit_error', code: null } };
const SECRET = { error: { message: 'The key of Example Inc. is wrong' } };
const HIDDEN = 'The provider refused the credential of this service';

const waiting = (wait: string | string[]): Answer => ({
  status: 429,
  headers: { 'retry-after': wait },
  body: SLOW,
});
const limited = (retryAfterMs: unknown) =>
  ({ code: 'rate_limited', status: 429, retryable: true, retryAfterMs }) as Partial<ProviderError>;

const REFUSALS: [title: string, answer: Answer, error: Partial<ProviderError>][] = [
  ['waits for a date', waiting('Thu, 01 Jan 2099 00:00:09 GMT'), limited(expect.any(Number))],
  ['waits for whole seconds', waiting('3'), limited(3_000)],
  ['waits for a fraction of a second', waiting('2.5'), limited(2_500)],
  ['waits for the first of two times', waiting(['3', '5']), limited(3_000)],
  ['knows no time for words', waiting('soon'), limited(undefined)],
  ['knows no time for a negative number', waiting('-5'), limited(undefined)],
  ['knows no time without a header', { status: 429, body: SLOW }, limited(undefined)],
  [
    'hides the words about its key',
    { status: 401, body: SECRET },
    { code: 'unauthorized', publicMessage: HIDDEN },
  ],
  [
    'tells an empty account from a limit',
    { status: 429, body: { error: { message: 'No credit', code: 'insufficient_quota' } } },
    { code: 'unauthorized', retryable: false, publicMessage: HIDDEN },
  ],
  [
    'marks a model that is gone',
    { status: 404, body: { error: { message: 'The model `m` does not exist', code: 'model_not_found' } } },
    { code: 'not_found', isModelGone: true, retryable: false },
  ],
  ['times out with a 408', { status: 408, body: {} }, { code: 'timeout', retryable: true }],
  [
    'quotes what is too large',
    { status: 413, body: { detail: 'Too much' } },
    { code: 'invalid_request', publicMessage: 'Too much' },
  ],
  ['retries a 500', { status: 500, body: { error: 'broken' } }, { code: 'server_error', retryable: true }],
  [
    'retries a page of a proxy',
    { status: 502, body: '<html><title>502 Bad Gateway</title></html>' },
    { code: 'server_error', retryable: true },
  ],
  ['retries an overload', { status: 503, body: '' }, { code: 'overloaded', retryable: true }],
  [
    'retries when a model made no valid call',
    {
      status: 400,
      body: {
        error: { message: 'Failed to call a function.', code: 'tool_use_failed', failed_generation: 'x' },
      },
    },
    { code: 'server_error', retryable: true, publicMessage: 'The provider had an internal error' },
  ],
  [
    'retries when a model made no valid JSON',
    { status: 400, body: { error: { message: 'Failed to generate JSON.', code: 'json_validate_failed' } } },
    { code: 'server_error', retryable: true },
  ],
  [
    'retries when a model is degraded',
    { status: 400, body: { status: 400, detail: "Function id 'a-1': DEGRADED function cannot be invoked" } },
    { code: 'overloaded', retryable: true },
  ],
  ['fails a page as a success', { body: '<html><title>Hello</title></html>' }, { code: 'invalid_response' }],
  [
    'tells refused content from a wrong request',
    { status: 400, body: { error: { message: 'No.', code: 'content_filter' } } },
    { code: 'content_policy', retryable: false, publicMessage: 'No.' },
  ],
];

export const HABITS_OF_REFUSALS: readonly Habit[] = REFUSALS.map(([title, answer, error]) => ({
  title,
  answers: () => answer,
  seen: { error },
}));
