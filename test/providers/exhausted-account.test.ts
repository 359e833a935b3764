/** Checks that the words of each vendor about the operator's account are not taken for words about the request. */
import { expect, test } from '@jest/globals';
import { vendorError } from '../../providers/vendor-error.ts';

const openAi = (message: string, code?: string | null, type?: string) => ({ error: { message, type, code } });
const anthropic = (message: string) => ({ type: 'error', error: { type: 'invalid_request_error', message } });
const google = (code: number, message: string) => [
  { error: { code, message, status: 'RESOURCE_EXHAUSTED' } },
];
const errorOf = (status: number, body: object) =>
  vendorError({ status, headers: {}, text: JSON.stringify(body) }, []);

test.each<[vendor: string, status: number, body: object]>([
  ['OpenAI', 429, openAi('You exceeded your current quota', 'insufficient_quota', 'insufficient_quota')],
  ['OpenAI', 429, openAi('Your account is not active', 'billing_not_active', 'billing_not_active')],
  ['Anthropic', 400, anthropic('Your credit balance is too low to access the Anthropic API.')],
  [
    'Anthropic',
    400,
    anthropic('You have reached your specified API usage limits. You will regain access on'),
  ],
  ['Anthropic', 400, anthropic('This organization has been disabled.')],
  ['Google', 429, google(429, 'Your prepayment credits are depleted.')],
  ['Google', 429, google(429, 'Your project has exceeded its monthly spending cap. Please go to AI Studio')],
  ['Google', 400, google(400, 'User location is not supported for the API use.')],
  ['Moonshot', 429, openAi('Your account o <k> is suspended', undefined, 'exceeded_current_quota_error')],
  ['Alibaba', 400, openAi('Access denied, please make sure your account is in good standing.', 'Arrearage')],
  ['Z.ai', 429, openAi('Insufficient balance or no resource package. Please recharge.', '1113')],
  ['MiniMax', 429, openAi('insufficient balance (1008)', undefined, 'insufficient_balance_error')],
  ['MiniMax', 500, { type: 'error', error: { type: 'api_error', message: 'insufficient balance (1008)' } }],
  ['Fireworks', 412, openAi('Account acme is suspended, possibly due to reaching', 'PRECONDITION_FAILED')],
  ['xAI', 429, { code: 'x', error: 'Your team 16f2 has either used all available credits or reached' }],
  ['fal', 403, { detail: 'User is locked. Reason: Exhausted balance.' }],
  ['Jina', 402, { detail: 'Account balance not enough to run this query, please recharge.' }],
  ['DeepSeek', 402, openAi('Insufficient Balance', 'invalid_request_error')],
])('an account of %s that is empty or locked is unauthorized: %d %j', (_vendor, status, body) => {
  const error = errorOf(status, body);
  expect([error.code, error.retryable, error.status]).toEqual(['unauthorized', false, status]);
  expect(error.publicMessage).toBe('The provider refused the credential of this service');
});

test.each<[what: string, status: number, body: object, code: string]>([
  ['a limit of requests', 429, openAi('Rate limit reached', 'rate_limit_exceeded'), 'rate_limited'],
  ['a daily limit of Google', 429, google(429, 'You exceeded your current quota'), 'rate_limited'],
  ['a request that quotes such words', 400, openAi('Bad name: Account x is suspended'), 'invalid_request'],
  ['content that Alibaba refuses', 400, openAi('Inappropriate', 'data_inspection_failed'), 'content_policy'],
  ['content that Z.ai refuses', 400, openAi('Unsafe content', '1301'), 'content_policy'],
])('other errors keep their code: %s', (_what, status, body, code) => {
  expect(errorOf(status, body).code).toBe(code);
});
