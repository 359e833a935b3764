/** Checks which kept bills can be computed by other prices of their endpoint. */
import { expect, test } from '@jest/globals';
import type { Bill } from '../../../../domain/ledger/bill.ts';
import { hasUnitsOf, type Pricing } from '../../../../services/ledger/reprice/cost-of-bill.ts';

const BY_SECOND: Bill = { video: { durationSeconds: 8, generateAudio: false } };
const BY_TOKENS: Bill = { video: { generateAudio: false, units: { video_tokens: '100000' } } };
const LIVE = { startMs: 0, endMs: 0, inputs: [], outputs: [], tokens: { prompt: 1, completion: 1 } };
const BY_PICTURE: Bill = { ...LIVE, media: { outputImages: 2 } };
const BY_UNITS: Bill = { ...LIVE, media: { billableUnits: 2 } };
const TOKENS = { prompt: '0', completion: '0' };

test.each<[what: string, bill: Bill, pricing: Pricing, isPossible: boolean]>([
  ['seconds by seconds', BY_SECOND, { duration_seconds: '0.4' }, true],
  ['seconds by tokens', BY_SECOND, { video_tokens: '0.00001' }, false],
  ['tokens by tokens', BY_TOKENS, { video_tokens: '0.00001' }, true],
  ['tokens by seconds', BY_TOKENS, { duration_seconds: '0.4' }, false],
  ['pictures by pictures', BY_PICTURE, { ...TOKENS, outputImage: '0.1' }, true],
  ['pictures by units', BY_PICTURE, { ...TOKENS, billableUnit: '0.1' }, false],
  ['units by units', BY_UNITS, { ...TOKENS, billableUnit: '0.1' }, true],
  ['units by pictures', BY_UNITS, { ...TOKENS, outputImage: '0.1' }, false],
])('a bill counts %s', (_, bill, pricing, isPossible) => {
  expect(hasUnitsOf(bill, pricing)).toBe(isPossible);
});
