import { describe, expect, test } from '@jest/globals';
import { newGenerationId } from '../../../domain/ids.ts';
import { rankingsSample } from '../../../services/live/rankings-sample.ts';

const IDS = Array.from({ length: 30_000 }, (_, i) => newGenerationId(i));
const QUESTION = 'Does this contract clause limit our liability?';
const SAMPLED = IDS.find((id) => rankingsSample(id, '') !== null)!;

describe('the sample for rankings', () => {
  test('takes one generation in a hundred with a weight of 100', () => {
    const samples = IDS.map((id) => rankingsSample(id, QUESTION)).filter((sample) => sample !== null);
    expect(samples.length).toBeGreaterThan(210);
    expect(samples.length).toBeLessThan(390);
    expect(new Set(samples.map(({ weight }) => weight))).toEqual(new Set([100]));
    expect(samples[0]).toEqual({ category: 'legal', languageType: 'natural', weight: 100 });
  });

  test.each<[string, unknown]>([
    ['a text', QUESTION],
    ['texts', ['Hello', QUESTION]],
    ['messages', [{ role: 'user', content: QUESTION }]],
    ['parts', [{ role: 'user', content: [{ type: 'image_url' }, { type: 'text', text: QUESTION }] }]],
    ['parts to embed', [{ content: [{ type: 'text', text: QUESTION }] }]],
    ['the query of a ranking', { query: QUESTION, documents: ['Debug the Python code of this function'] }],
    ['a conversation without a user', [{ role: 'system', content: QUESTION }]],
    [
      'the user, not the instructions',
      [
        { role: 'system', content: 'Debug the Python code of this function. '.repeat(500) },
        { role: 'user', content: QUESTION },
      ],
    ],
  ])('finds its category in %s', (_what, input) => {
    expect(rankingsSample(SAMPLED, input)).toMatchObject({ category: 'legal' });
  });

  test.each([undefined, null, 7, [1, 2, 3], [[1, 2]], [null], {}])(
    'has no category for the input %j',
    (input) => {
      expect(rankingsSample(SAMPLED, input)).toEqual({
        category: null,
        languageType: 'natural',
        weight: 100,
      });
    },
  );
});
