import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isInShare, selectEvent, type Selection } from '../../../domain/broadcast/select-event.ts';
import { newGenerationId, newUuid } from '../../../domain/ids.ts';
import { broadcastEvent, IDS, openRules } from './broadcast-event.ts';

const pass = (): boolean => true;
const refuse = (): boolean => false;

function select(
  changes: Parameters<typeof openRules>[0],
  filters = pass,
  event = broadcastEvent(),
): Selection {
  return selectEvent(openRules(changes), event, IDS.traceId, filters);
}

describe('the selection of a generation', () => {
  test('sends a generation that no rule excludes', () => {
    expect(select({})).toBe('sent');
  });

  test('excludes generations of unlisted and of deleted keys', () => {
    expect(select({ apiKeyHashes: ['hash-2'] })).toBe('api_key_hashes');
    expect(select({ apiKeyHashes: ['hash-2', 'hash-1'] })).toBe('sent');
    expect(select({ apiKeyHashes: ['hash-1'] }, pass, broadcastEvent({ key: null }))).toBe('api_key_hashes');
  });

  test('excludes generations of other data regions', () => {
    expect(select({ regions: ['europe', 'us'] })).toBe('regions');
    expect(select({ regions: ['europe'] }, pass, broadcastEvent({ dataRegion: 'europe' }))).toBe('sent');
  });

  test('stays undecided with its filters, unless another rule excludes the generation', () => {
    const undecided = (): undefined => undefined;
    const of = (changes: Parameters<typeof openRules>[0]): Selection =>
      selectEvent(openRules(changes), broadcastEvent(), IDS.traceId, undecided);
    expect(of({})).toBe('undecided');
    expect(of({ regions: [] })).toBe('regions');
    expect(of({ samplingRate: 0 })).toBe('sampling_rate');
  });

  test('names the first excluding rule: key list, region, filters, sampling', () => {
    const all = { apiKeyHashes: [], regions: [], samplingRate: 0 };
    expect(select(all, refuse)).toBe('api_key_hashes');
    expect(select({ ...all, apiKeyHashes: null }, refuse)).toBe('regions');
    expect(select({ samplingRate: 0 }, refuse)).toBe('filter_rules');
    expect(select({ samplingRate: 0 })).toBe('sampling_rate');
  });
});

describe('the share of generations that a destination receives', () => {
  const rate = fc.double({ min: 0.0001, max: 1, noNaN: true });

  test('lies within the share of a destination with a higher rate', () => {
    fc.assert(
      fc.property(
        fc.option(fc.string(), { nil: null }),
        fc.string(),
        rate,
        rate,
        (sessionId, traceId, a, b) => {
          const [low, high] = a < b ? [a, b] : [b, a];
          return !isInShare({ sessionId }, traceId, low) || isInShare({ sessionId }, traceId, high);
        },
      ),
    );
  });

  test('includes sessions as a whole, and traces without a session', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), rate, (sessionId, one, other, share) => {
        expect(isInShare({ sessionId }, one, share)).toBe(isInShare({ sessionId }, other, share));
      }),
    );
    const traces = Array.from({ length: 1_000 }, (_, i) => `trace-${i}`);
    const sent = traces.filter((traceId) => isInShare({ sessionId: null }, traceId, 0.5));
    expect(sent.length).toBeGreaterThan(400);
    expect(sent.length).toBeLessThan(600);
  });

  const RATES = [0.0001, 0.01, 0.1, 0.5, 1];
  const COUNT = 200_000;

  describe.each<[string, (n: number) => [sessionId: string | null, traceId: string]]>([
    ['traces', (n) => [null, newGenerationId(1_767_225_600_000 + n)]],
    ['sessions', (n) => [`session-${n}`, 'one trace for all']],
    ['sessions named by UUIDs', () => [newUuid(), newUuid()]],
  ])('the share of 200,000 %s', (_what, idsOf) => {
    const ids = Array.from({ length: COUNT }, (_, n) => idsOf(n));
    const sentAt = (rate: number): number[] =>
      ids.flatMap(([sessionId, traceId], n) => (isInShare({ sessionId }, traceId, rate) ? [n] : []));

    test.each(RATES)('has the size of the rate %d', (rate) => {
      // Five standard deviations: one run in more than a million is outside.
      const slack = 5 * Math.sqrt(COUNT * rate * (1 - rate));
      expect(Math.abs(sentAt(rate).length - COUNT * rate)).toBeLessThanOrEqual(slack);
    });

    test('lies within the share of the next higher rate', () => {
      for (const [index, rate] of RATES.slice(1).entries()) {
        const higher = new Set(sentAt(rate));
        expect(sentAt(RATES[index]!).filter((n) => !higher.has(n))).toEqual([]);
      }
    });
  });
});
