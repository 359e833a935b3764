import { describe, expect, test } from '@jest/globals';
import { newGenerationId } from '../../../domain/ids.ts';
import { rankingsSample } from '../../../services/live/rankings-sample.ts';

const IDS = Array.from({ length: 30_000 }, (_, i) => newGenerationId(i));
const QUESTION = 'Does this contract clause limit our liability?';
const SAMPLED = IDS.find((id) => rankingsSample(id, '') !== null)!;

describe('the sample for rankings', () => {
  test('is one generation in a hundred, each of which stands for a hundred', () => {
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
  ])('goes by %s', (_what, input) => {
    expect(rankingsSample(SAMPLED, input)).toMatchObject({ category: 'legal' });
  });

  test.each([undefined, null, 7, [1, 2, 3], [[1, 2]], [null], {}])('takes %j for no text', (input) => {
    expect(rankingsSample(SAMPLED, input)).toEqual({ category: null, languageType: 'natural', weight: 100 });
  });
});
