/** Checks that the wait of a refusal is read from the forms of `Retry-After` that servers send. */
import { describe, expect, test } from '@jest/globals';
import type { Repair } from '../../providers/repairs.ts';
import { failureOf } from './text-adapter-under-test.ts';
import { setUpVendorOfAnswers } from './vendor-of-answers.ts';
import { parsePollAfter, parseRetryAfter } from '../../providers/retry-after.ts';

const vendor = setUpVendorOfAnswers();
const REQUEST = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 9 };

test.each<[string, string | string[] | undefined, number | undefined]>([
  ['seconds', '3', 3_000],
  ['a fraction', '2.5', 2_500],
  ['a unit', '7s', 7_000],
  ['a unit after a blank', '0.5 s', 500],
  ['a date', 'Thu, 01 Jan 1970 00:00:09 GMT', 9_000],
  ['two headers', ['3', '5'], 3_000],
  ['no header in a list', [], undefined],
  ['another unit', '3m', undefined],
  ['words', 'soon', undefined],
  ['a negative number', '-5', undefined],
  ['no header', undefined, undefined],
])('parseRetryAfter reads seconds and dates, and ignores other forms: %s', (_, header, waitMs) => {
  expect(parseRetryAfter({ 'retry-after': header }, 0)).toBe(waitMs);
});

test('the milliseconds of OpenAI are read from the first of two headers', () => {
  expect(parseRetryAfter({ 'retry-after-ms': ['250', '9'], 'retry-after': '3' }, 0)).toBe(250);
  expect(parsePollAfter({ 'openai-poll-after-ms': ['70', '9'] }, 0)).toBe(70);
});

test.each([false, true])(
  'a refusal with two retry-after headers reaches the caller: stream %j',
  async (stream) => {
    vendor.answerWith(429, 'application/json', '{"error":{"message":"slow down"}}', {
      'retry-after': ['3', '5'],
    });
    const chat = vendor.provider('openai-compatible').chat!;
    const ask = stream
      ? chat.stream(REQUEST, vendor.newContext())
      : chat.complete(REQUEST, vendor.newContext());
    expect(await failureOf(ask)).toMatchObject({ code: 'rate_limited', retryAfterMs: 3_000 });
  },
);

const DATE = 'Thu, 01 Jan 2099 00:00:09 GMT';

describe.each([false, true])('a refusal with stream %j', (stream) => {
  test.each<[string, Record<string, string[]>, Repair[]]>([
    ['no header', {}, []],
    ['seconds', { 'retry-after': ['3'] }, []],
    ['a date', { 'retry-after': [DATE] }, []],
    ['milliseconds', { 'retry-after-ms': ['250'] }, []],
    ['words beside milliseconds', { 'retry-after-ms': ['250'], 'retry-after': ['soon'] }, []],
    ['a fraction', { 'retry-after': ['2.5'] }, ['retry_after']],
    ['a unit', { 'retry-after': ['5s'] }, ['retry_after']],
    ['words', { 'retry-after': ['soon'] }, ['retry_after']],
    ['a negative number', { 'retry-after': ['-5'] }, ['retry_after']],
    ['two headers', { 'retry-after': ['3', '5'] }, ['retry_after']],
  ])('counts a repair of %s only for a form outside the standard', async (_, headers, expected) => {
    const repairs: Repair[] = [];
    const context = { ...vendor.newContext(), noteRepair: (repair: Repair) => repairs.push(repair) };
    vendor.answerWith(429, 'application/json', '{"error":{"message":"slow down"}}', headers);
    const { chat, responses } = vendor.provider('openai');
    const { messages } = vendor.provider('anthropic');
    await failureOf(stream ? chat!.stream(REQUEST, context) : chat!.complete(REQUEST, context));
    for (const dialect of [responses!, messages!])
      await failureOf(stream ? dialect.stream(REQUEST, context) : dialect.create(REQUEST, context));
    expect(repairs).toEqual([...expected, ...expected, ...expected]);
  });
});
