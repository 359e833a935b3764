import { describe, expect, test } from '@jest/globals';
import type { ModelReasoning } from '../../../domain/catalog/model-facts.ts';
import { bundledCatalogs } from '../../../providers/catalog-file.ts';
import { UnsupportedFieldsError } from '../../../domain/unsupported-fields.ts';
import { toMessagesRequest } from '../../../providers/dialects/messages/chat-over-messages.ts';

const BY_TOKENS: ModelReasoning = { mandatory: false, supportsMaxTokens: true };
const BY_EFFORT: ModelReasoning = { mandatory: true, supportedEfforts: ['high', 'medium', 'low'] };

const messages = [{ role: 'user', content: 'Hi' }];
const told = (request: object, reasoning?: ModelReasoning, maxOutputTokens?: number) => {
  const facts = { ...(reasoning && { reasoning }), ...(maxOutputTokens && { maxOutputTokens }) };
  const { thinking, output_config } = toMessagesRequest({ model: 'm', messages, ...request }, facts);
  return { thinking, output_config };
};
const budget = (tokens: number, more: object = {}) => ({
  thinking: { type: 'enabled', budget_tokens: tokens, ...more },
  output_config: undefined,
});
const adaptive = (effort: string) => ({ thinking: { type: 'adaptive' }, output_config: { effort } });
const nothing = { thinking: undefined, output_config: undefined };
const off = { thinking: { type: 'disabled' }, output_config: undefined };

describe('a model that takes only budgets', () => {
  test.each<[object, object]>([
    [{ reasoning: { effort: 'high' }, max_tokens: 10_000 }, budget(8_000)],
    [{ reasoning: { effort: 'high' } }, budget(25_600)],
    [{ reasoning_effort: 'low', max_completion_tokens: 10_000 }, budget(2_000)],
    [{ reasoning: { enabled: true }, max_tokens: 10_000 }, budget(5_000)],
    [{ reasoning: { effort: 'minimal' }, max_tokens: 1_025 }, budget(1_024)],
    [{ reasoning: { effort: 'low', max_tokens: 2_000 } }, budget(2_000)],
    [{ reasoning: { effort: 'high', exclude: true } }, budget(25_600, { display: 'omitted' })],
    [{ reasoning: { exclude: true } }, nothing],
    [{ reasoning: { effort: 'none' } }, off],
    [{}, nothing],
  ])('%j becomes %j', (request, expected) => {
    expect(told(request, BY_TOKENS)).toEqual(expected);
  });

  test("has a budget that is a share of the endpoint's longest answer", () => {
    expect(told({ reasoning: { effort: 'high' } }, BY_TOKENS, 8_192)).toEqual(budget(6_553));
    expect(told({ reasoning: { effort: 'high' } }, BY_TOKENS, 64_000)).toEqual(budget(25_600));
  });

  test('refuses max_tokens that leave no room for reasoning', () => {
    const request = { reasoning: { effort: 'high' }, max_tokens: 1_024 };
    const failing = () => told(request, BY_TOKENS);
    expect(failing).toThrow(UnsupportedFieldsError);
    expect(failing).toThrow(/body\.max_tokens/);
  });
});

describe('a model that takes only efforts', () => {
  test.each<[object, object]>([
    [{ reasoning: { max_tokens: 8_000 }, max_tokens: 10_000 }, adaptive('high')],
    [{ reasoning: { max_tokens: 1_024 } }, adaptive('low')],
    [{ reasoning: { effort: 'medium', max_tokens: 30_000 } }, adaptive('medium')],
    [{ reasoning: { effort: 'minimal' } }, adaptive('low')],
    [{ reasoning: { enabled: true } }, { thinking: { type: 'adaptive' }, output_config: undefined }],
    [{}, nothing],
  ])('%j becomes %j', (request, expected) => {
    expect(told(request, BY_EFFORT)).toEqual(expected);
  });
});

test('a model without reasoning facts receives effort or budget as requested', () => {
  expect(told({ reasoning: { effort: 'high' } })).toEqual(adaptive('high'));
  expect(told({ reasoning: { max_tokens: 9 } })).toEqual(budget(9));
});

test('every Anthropic model of the bundled catalog states how it reasons', () => {
  const models = bundledCatalogs().flatMap((file) => file.models);
  const words = models
    .filter(({ id }) => id.startsWith('anthropic/'))
    .map(({ id, reasoning }) => [id, told({ reasoning: { effort: 'high' } }, reasoning!).thinking]);
  const budgeted = ['anthropic/claude-opus-4.5', 'anthropic/claude-haiku-4.5'];
  expect(words.length).toBeGreaterThan(budgeted.length);
  for (const [id, thinking] of words) {
    const expected = budgeted.includes(String(id))
      ? { type: 'enabled', budget_tokens: 25_600 }
      : { type: 'adaptive' };
    expect([id, thinking]).toEqual([id, expected]);
  }
});
