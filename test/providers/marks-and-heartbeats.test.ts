/** Checks that no answer fails for a byte order mark before it or for empty events in it. */
import { expect, test } from '@jest/globals';
import { failureOf } from './text-adapter-under-test.ts';
import { EXCHANGES } from './vendor-exchanges.ts';
import { setUpVendorOfAnswers } from './vendor-of-answers.ts';

const vendor = setUpVendorOfAnswers();
const MARK = '\ufeff';
const calls = EXCHANGES.filter(({ answer }) => answer !== null).flatMap((exchange) =>
  exchange.adapters.map((adapter) => ({ ...exchange, name: `${exchange.operation} of ${adapter}`, adapter })),
);
const streams = calls.filter(({ isStream }) => isStream === true);

test.each(calls.filter(({ isStream }) => isStream !== true))(
  'a byte order mark before $name changes nothing',
  async ({ adapter, answer, ask }) => {
    const results: unknown[] = [];
    for (const mark of ['', MARK]) {
      vendor.answerWith(200, 'application/json', mark + JSON.stringify(answer));
      results.push(await ask(vendor.provider(adapter), vendor.newContext()));
    }
    expect(results[1]).toEqual(results[0]);
  },
);

test.each(calls)('a refusal of $name is quoted after a byte order mark', async ({ adapter, ask }) => {
  vendor.answerWith(400, 'application/json', `${MARK}{"error":{"message":"No boats."}}`);
  const error = await failureOf(ask(vendor.provider(adapter), vendor.newContext()));
  expect(error.publicMessage).toBe('No boats.');
});

test.each(streams)('empty events in $name change nothing', async ({ adapter, operation, answer, ask }) => {
  const results: unknown[] = [];
  const end = operation.includes('chat') ? 'data: [DONE]\n\n' : '';
  for (const heartbeat of ['', 'data:\n\n', 'data\n\n', 'event: ping\ndata:  \n\n']) {
    const events = (answer as { type?: unknown }[]).map((event) => {
      const name = typeof event.type === 'string' && adapter === 'anthropic' ? `event: ${event.type}\n` : '';
      return `${heartbeat}${name}data: ${JSON.stringify(event)}\n\n`;
    });
    vendor.answerWith(200, 'text/event-stream', events.join('') + heartbeat + end);
    results.push(await ask(vendor.provider(adapter), vendor.newContext()));
  }
  for (const result of results.slice(1)) expect(result).toEqual(results[0]);
});

test.each(streams)('an error event without data in $name fails the call', async ({ adapter, ask }) => {
  vendor.answerWith(200, 'text/event-stream', 'event: error\ndata:\n\n');
  expect(await failureOf(ask(vendor.provider(adapter), vendor.newContext()))).toMatchObject({ sent: true });
});
