/** Checks that no adapter fails an answer for the value of a field on which its meaning does not depend. */
import { describe, expect, test } from '@jest/globals';
import { ProviderError, type ProviderErrorCode } from '../../domain/provider-error.ts';
import type { Repair } from '../../providers/repairs.ts';
import { placesIn, withValueAt } from './changed-answers.ts';
import { EXCHANGES } from './vendor-exchanges.ts';
import { setUpVendorOfAnswers } from './vendor-of-answers.ts';

const vendor = setUpVendorOfAnswers();

/** Values that servers send in the place of others. */
const VALUES: unknown[] = [null, '', 'text', '7', 7, -1, 0.5, true, {}, { code: 'x' }, [], ['x'], [{}]];

/** The failures that a wrong answer may be: it is not understood, never ends, has an `error`, or a flag of a filter. */
const CLEAN = new Set<ProviderErrorCode>([
  'invalid_response',
  'connection_lost',
  'server_error',
  'content_policy',
]);

const calls = EXCHANGES.filter(({ answer }) => answer !== null).flatMap((exchange) =>
  exchange.adapters.map((adapter) => ({ ...exchange, name: `${exchange.operation} of ${adapter}`, adapter })),
);

describe.each(calls)('$name', ({ adapter, operation, answer, decides, isStream, ask }) => {
  const provider = () => vendor.provider(adapter);
  const ends = operation.includes('chat') ? 'data: [DONE]\n\n' : '';

  function answerWith(changed: unknown): void {
    if (!isStream) return vendor.answerWith(200, 'application/json', JSON.stringify(changed));
    const events = (changed as { type?: unknown }[]).map((event) => {
      const name = typeof event?.type === 'string' && adapter === 'anthropic' ? `event: ${event.type}\n` : '';
      return `${name}data: ${JSON.stringify(event)}\n\n`;
    });
    vendor.answerWith(200, 'text/event-stream', `${events.join('')}${ends}`);
  }

  test('succeeds with any value in fields that carry no meaning', async () => {
    const failed: string[] = [];
    const places = placesIn(answer, decides).undecisive;
    for (const place of places) {
      for (const value of VALUES) {
        answerWith(withValueAt(answer, place, value));
        await ask(provider(), vendor.newContext()).catch((error: unknown) => {
          failed.push(
            `${place.join('.')} = ${JSON.stringify(value)}: ${String((error as Error).cause ?? error)}`,
          );
        });
      }
    }
    expect(places.length).toBeGreaterThan(0);
    expect(failed).toEqual([]);
  });

  test('succeeds or fails cleanly with any value in meaningful fields', async () => {
    const others: string[] = [];
    for (const place of placesIn(answer, decides).decisive) {
      for (const value of VALUES) {
        answerWith(withValueAt(answer, place, value));
        await ask(provider(), vendor.newContext()).catch((error: unknown) => {
          if (!(error instanceof ProviderError) || !CLEAN.has(error.code))
            others.push(`${place.join('.')} = ${JSON.stringify(value)}: ${String(error)}`);
        });
      }
    }
    expect(others).toEqual([]);
  });

  test('gives the same result for counts as text, and counts a repair', async () => {
    const repairs: Repair[] = [];
    const context = { ...vendor.newContext(), noteRepair: (repair: Repair) => repairs.push(repair) };
    answerWith(answer);
    const expected = await ask(provider(), context);
    expect(repairs).toEqual([]);
    const asText = withCountsAsText(answer);
    answerWith(asText);
    expect(await ask(provider(), context)).toEqual(expected);
    // The jobs of videos run where no repairs are counted, and fal has no counts.
    const isCounted = !operation.includes('video') && asText !== answer;
    expect(new Set(repairs)).toEqual(new Set(isCounted ? ['usage'] : []));
  });
});

/** Returns a copy of an answer with text for every number in its usage. */
function withCountsAsText(answer: unknown): unknown {
  return placesIn(answer, []).undecisive.reduce((changed, place) => {
    const value = place.reduce((at, step) => (at as Record<string | number, unknown>)?.[step], changed);
    const isCount = typeof value === 'number' && place.some((step) => COUNTED.has(step));
    return isCount ? withValueAt(changed, place, String(value)) : changed;
  }, answer);
}

const COUNTED = new Set<string | number>([
  'usage',
  'usageMetadata',
  'meta',
  'progress',
  'inputTextTokenCount',
]);
