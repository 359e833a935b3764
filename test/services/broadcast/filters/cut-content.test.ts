import { randomBytes } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import type { BroadcastContent } from '../../../../domain/broadcast/event.ts';
import {
  FILTER_OPERATORS,
  type FilterOperator,
  type FilterField,
} from '../../../../domain/broadcast/filter-rules.ts';
import { compileFilters } from '../../../../services/broadcast/filters/compile-filters.ts';
import { compressContent, renderContent } from '../../../../services/ledger/bodies/fit-content.ts';
import { broadcastEvent } from '../../../domain/broadcast/broadcast-event.ts';

/** Compresses so badly that content with it must be cut. */
const NOISE = randomBytes(400_000).toString('base64');
const says = (content: string) => ({ role: 'user', content });

/** Returns content as destinations find it. */
async function stored(change: Partial<BroadcastContent>): Promise<BroadcastContent> {
  const content = { input: [], output: [], outputText: 'An answer', ...change };
  const { bytes } = await compressContent(renderContent(content));
  const found = JSON.parse(gunzipSync(bytes).toString('utf8')) as BroadcastContent;
  expect(found.isTruncated).toBe(true);
  return found;
}

function decide(
  content: BroadcastContent,
  field: FilterField,
  operator: FilterOperator,
  value = '',
): boolean | undefined {
  const rules = { enabled: true, groups: [{ logic: 'and' as const, rules: [{ field, operator, value }] }] };
  return compileFilters(rules)(broadcastEvent({ content }));
}

type Case = [FilterOperator, string, boolean | undefined];

describe('a prompt that lost its oldest messages', () => {
  const input = [says('forbidden'), says('older'), says(`newest ${NOISE}`)];

  test.each<Case>([
    ['not_contains', 'forbidden', undefined],
    ['not_contains', 'newest', false],
    ['contains', 'newest', true],
    ['contains', 'forbidden', undefined],
    ['equals', 'forbidden', false],
    ['not_equals', 'forbidden', true],
    ['exists', '', true],
    ['not_exists', '', false],
    ['starts_with', 'newest', undefined],
    ['ends_with', '=', undefined],
    ['regex', '(?i)NEWEST', true],
    ['regex', 'forbidden', undefined],
    ['regex', '^newest', undefined],
    ['regex', '\\Anewest', undefined],
    ['regex', '[A-Za-z0-9+/=]$', undefined],
  ])('makes the rule %s %j %p', async (operator, value, decided) => {
    const content = await stored({ input });
    expect(content.input).toHaveLength(1);
    expect(decide(content, 'input', operator, value)).toBe(decided);
  });

  test('begins with its system prompt, and with nothing else for certain', async () => {
    const content = await stored({ system: 'Be kind', input });
    expect(decide(content, 'input', 'starts_with', 'Be k')).toBe(true);
    expect(decide(content, 'input', 'starts_with', 'Be rude')).toBe(false);
    expect(decide(content, 'input', 'starts_with', 'Be kind\nnewest')).toBeUndefined();
    expect(decide(content, 'input', 'contains', 'Be kind\nnewest')).toBeUndefined();
    expect(decide(content, 'input', 'regex', 'kind\\snewest')).toBeUndefined();
  });

  test('leaves the rules on its answer as they are', async () => {
    const content = await stored({ input });
    expect(decide(content, 'output', 'not_contains', 'forbidden')).toBe(true);
    expect(decide(content, 'output', 'equals', 'An answer')).toBe(true);
    expect(decide(content, 'output', 'regex', '^An answer$')).toBe(true);
    const silent = await stored({ input, outputText: null });
    expect(decide(silent, 'output', 'not_exists')).toBe(true);
  });
});

describe('an answer that lost its end', () => {
  const outputText = `begins ${NOISE} forbidden`;

  test.each<Case>([
    ['not_contains', 'forbidden', undefined],
    ['contains', 'begins', true],
    ['starts_with', 'begins', true],
    ['starts_with', 'other', false],
    ['ends_with', 'forbidden', undefined],
    ['equals', 'begins', false],
    ['not_equals', 'begins', true],
    ['exists', '', true],
    ['not_exists', '', false],
    ['regex', '^begins', true],
    ['regex', 'forbidden$', false],
  ])('makes the rule %s %j %p', async (operator, value, decided) => {
    const content = await stored({ input: [says('A question')], outputText });
    expect(decide(content, 'output', operator, value)).toBe(decided);
  });

  test('may be equal to a text that begins with the kept part', async () => {
    const content = await stored({ input: [says('A question')], outputText });
    expect(decide(content, 'output', 'not_equals', outputText) === undefined).toBe(true);
    expect(decide(content, 'output', 'not_equals', NOISE)).toBe(true);
  });

  test('leaves the rules on its prompt as they are', async () => {
    const content = await stored({ input: [says('A question')], outputText });
    expect(decide(content, 'input', 'not_contains', 'forbidden')).toBe(true);
    expect(decide(content, 'input', 'equals', 'A question')).toBe(true);
  });

  test('does not decide rules on a prompt that lost messages too', async () => {
    const content = await stored({ input: [says('forbidden'), says('newest')], outputText });
    expect(decide(content, 'input', 'not_contains', 'forbidden')).toBeUndefined();
    expect(decide(content, 'output', 'not_contains', 'forbidden')).toBeUndefined();
  });
});

test('rules on content that was not kept are undecided, except exists and not_exists on the prompt', async () => {
  const tools = Array.from({ length: 40_000 }, () => ({ name: randomBytes(20).toString('hex') }));
  const content = await stored({ tools, input: [says('forbidden')] });
  for (const operator of FILTER_OPERATORS) {
    expect([operator, decide(content, 'output', operator, 'x')]).toEqual([operator, undefined]);
    const ofPrompt = { exists: true, not_exists: false }[operator as string];
    expect([operator, decide(content, 'input', operator, 'x')]).toEqual([operator, ofPrompt]);
  }
});
