import { describe, expect, test } from '@jest/globals';
import { describeTextAdapter } from './text-suite.ts';

const adapter = describeTextAdapter('openai');

describe('the wire of OpenAI', () => {
  async function asked(more: object): Promise<Record<string, unknown> | undefined> {
    await adapter.complete('x', more);
    return adapter.client.upstream.requests('chat').at(-1)?.fields;
  }

  test('sends max_tokens as max_completion_tokens', async () => {
    const fields = await asked({ max_tokens: 5 });
    expect(fields).toMatchObject({ max_completion_tokens: 5 });
    expect(fields).not.toHaveProperty('max_tokens');
  });

  test('keeps max_completion_tokens when a caller uses both names', async () => {
    expect(await asked({ max_tokens: 5, max_completion_tokens: 7 })).toMatchObject({
      max_completion_tokens: 7,
    });
  });

  test('sends the effort of reasoning as reasoning_effort', async () => {
    const fields = await asked({ reasoning: { effort: 'low', summary: 'auto' } });
    expect(fields).toMatchObject({ reasoning_effort: 'low' });
    expect(fields).not.toHaveProperty('reasoning');
  });

  test.each([
    [{ max_tokens: 9_000 }, { max_tokens: 10_000 }, 'high'],
    [{ max_tokens: 5_000 }, { max_tokens: 10_000 }, 'medium'],
    [{ max_tokens: 2_000 }, { max_tokens: 10_000 }, 'low'],
    [{ max_tokens: 2_000 }, {}, 'low'],
    [{ max_tokens: 9_000, effort: 'minimal' }, { max_tokens: 10_000 }, 'minimal'],
  ])('converts a reasoning budget to an effort: %j of %j', async (reasoning, more, effort) => {
    expect(await asked({ reasoning, ...more })).toMatchObject({ reasoning_effort: effort });
  });

  test('sends other fields unchanged', async () => {
    const fields = await asked({ temperature: 0.5, metadata: { a: 'b' } });
    expect(fields).toMatchObject({ temperature: 0.5, metadata: { a: 'b' } });
  });
});
