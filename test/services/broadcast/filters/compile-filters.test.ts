import { describe, expect, test } from '@jest/globals';
import type { BroadcastEvent } from '../../../../domain/broadcast/event.ts';
import {
  FILTER_OPERATORS,
  type FilterField,
  type FilterOperator,
  type FilterRule,
  type FilterRules,
} from '../../../../domain/broadcast/filter-rules.ts';
import { compileFilters, createSelector } from '../../../../services/broadcast/filters/compile-filters.ts';
import { broadcastEvent, CONTENT, IDS, openRules } from '../../../domain/broadcast/broadcast-event.ts';

function passes(
  rule: readonly [FilterField, FilterOperator, (string | number)?],
  changes: Partial<BroadcastEvent> = {},
): boolean | undefined {
  const [field, operator, value] = rule;
  const rules: FilterRule[] = [{ field, operator, ...(value === undefined ? {} : { value }) }];
  return compileFilters({ enabled: true, groups: [{ logic: 'and', rules }] })(broadcastEvent(changes));
}

describe('an operator on a text', () => {
  test.each<[FilterOperator, string, string]>([
    ['equals', 'vendor/model-1', 'vendor/model'],
    ['not_equals', 'vendor/model', 'vendor/model-1'],
    ['contains', 'dor/mod', 'doormod'],
    ['not_contains', 'doormod', 'dor/mod'],
    ['starts_with', 'vendor/', 'model'],
    ['ends_with', '-1', 'vendor'],
    ['regex', '^v.*-[0-9]$', '^model'],
    ['regex', 'model', '^[A-Z]'],
  ])('%s passes %s and not %s', (operator, right, wrong) => {
    expect(passes(['model', operator, right])).toBe(true);
    expect(passes(['model', operator, wrong])).toBe(false);
  });

  test.each<FilterOperator>(['equals', 'contains', 'starts_with', 'ends_with', 'regex'])(
    '%s tells upper case from lower case',
    (operator) => {
      expect(passes(['api_key_name', operator, 'production'])).toBe(true);
      expect(passes(['api_key_name', operator, 'PRODUCTION'])).toBe(false);
    },
  );
});

describe('an operator on a number', () => {
  test.each<[FilterOperator, number, number]>([
    ['equals', 100, 101],
    ['not_equals', 101, 100],
    ['gt', 99, 100],
    ['lt', 101, 100],
    ['gte', 100, 101],
    ['lte', 100, 99],
  ])('%s passes %d and not %d', (operator, right, wrong) => {
    expect(passes(['prompt_tokens', operator, right])).toBe(true);
    expect(passes(['prompt_tokens', operator, wrong])).toBe(false);
  });

  test('accepts a number written as text', () => {
    expect(passes(['prompt_tokens', 'equals', '100'])).toBe(true);
  });
});

describe('a filter field', () => {
  test.each<[FilterField, string | number]>([
    ['model', 'vendor/model-1'],
    ['provider', 'openai'],
    ['session_id', 'session-1'],
    ['user_id', 'customer-7'],
    ['api_key_name', 'production'],
    ['finish_reason', 'stop'],
    ['input', 'Be brief.\nThe secret question'],
    ['output', 'The secret answer'],
    ['total_cost', 0.0015],
    ['total_tokens', 140],
    ['prompt_tokens', 100],
    ['completion_tokens', 40],
  ])('%s equals %p of the generation, and exists', (field, value) => {
    expect(passes([field, 'equals', value])).toBe(true);
    expect(passes([field, 'exists'])).toBe(true);
    expect(passes([field, 'not_exists'])).toBe(false);
  });

  test.each<[FilterField, Partial<BroadcastEvent>]>([
    ['session_id', { sessionId: null }],
    ['user_id', { externalUser: null }],
    ['api_key_name', { key: null }],
    ['finish_reason', { finishReason: null }],
    ['output', { content: { ...CONTENT, outputText: null } }],
    ['total_tokens', { usage: null }],
    ['prompt_tokens', { usage: null }],
    ['completion_tokens', { usage: null }],
  ])('%s that is absent passes only not_exists, not_equals and not_contains', (field, changes) => {
    expect(passes([field, 'not_exists'], changes)).toBe(true);
    expect(passes([field, 'not_equals', 5], changes)).toBe(true);
    expect(passes([field, 'not_contains', '5'], changes)).toBe(true);
    const others = ['exists', 'equals', 'contains', 'regex', 'starts_with', 'ends_with'] as const;
    for (const operator of others) expect(passes([field, operator, ''], changes)).toBe(false);
    for (const operator of ['gt', 'lt', 'gte', 'lte'] as const) {
      expect(passes([field, operator, 0], changes)).toBe(false);
    }
  });

  test.each(['input', 'output'] as const)(
    '%s leaves every operator undecided while the content is missing',
    (field) => {
      for (const operator of FILTER_OPERATORS) {
        expect([operator, passes([field, operator, 'x'], { content: null })]).toEqual([operator, undefined]);
      }
    },
  );

  test('input joins the text of every message part, with the system prompt first', () => {
    const input = [
      {
        role: 'user',
        content: [{ type: 'text', text: 'one' }, { type: 'image_url' }, { type: 'text', text: 'two' }],
      },
      { role: 'tool', content: 'three' },
    ];
    const content = { ...CONTENT, system: 'zero', input };
    expect(passes(['input', 'equals', 'zero\none\ntwo\nthree'], { content })).toBe(true);
  });
});

test('a regular expression looks at the first 4,096 characters of a text', () => {
  const textOf = (text: string): Partial<BroadcastEvent> => ({ content: { ...CONTENT, outputText: text } });
  expect(passes(['output', 'regex', 'end$'], textOf(`${'x'.repeat(4_093)}end`))).toBe(true);
  expect(passes(['output', 'regex', 'end'], textOf(`${'x'.repeat(4_094)}end`))).toBe(false);
  expect(passes(['output', 'contains', 'end'], textOf(`${'x'.repeat(4_094)}end`))).toBe(true);
});

describe('filter groups', () => {
  const right: FilterRule = { field: 'provider', operator: 'equals', value: 'openai' };
  const wrong: FilterRule = { field: 'provider', operator: 'equals', value: 'cohere' };
  const compile = (groups: ['and' | 'or', ...FilterRule[]][], enabled = true) =>
    compileFilters({ enabled, groups: groups.map(([logic, ...rules]) => ({ logic, rules })) });
  const filter = (...groups: Parameters<typeof compile>): boolean | undefined =>
    compile(...groups)(broadcastEvent());

  test('combine their rules by "and" or "or"', () => {
    expect(filter([['and', right, right]])).toBe(true);
    expect(filter([['and', right, wrong]])).toBe(false);
    expect(filter([['or', wrong, right]])).toBe(true);
    expect(filter([['or', wrong, wrong]])).toBe(false);
  });

  test('pass an event only when every group passes', () => {
    expect(
      filter([
        ['and', right],
        ['or', right, wrong],
      ]),
    ).toBe(true);
    expect(
      filter([
        ['and', right],
        ['or', wrong],
      ]),
    ).toBe(false);
  });

  test('let every event pass when they have no rules', () => {
    expect(filter([])).toBe(true);
    expect(filter([['or'], ['and']])).toBe(true);
    expect(compileFilters(null)(broadcastEvent())).toBe(true);
  });

  test('decide on an event without content where other rules are enough', () => {
    const bare = broadcastEvent({ content: null });
    const input: FilterRule = { field: 'input', operator: 'not_contains', value: 'x' };
    const groups: [boolean | undefined, ['and' | 'or', ...FilterRule[]][]][] = [
      [undefined, [['and', right, input]]],
      [undefined, [['or', wrong, input]]],
      [
        undefined,
        [
          ['and', right],
          ['or', input],
        ],
      ],
      [
        undefined,
        [
          ['or', input],
          ['and', right],
        ],
      ],
      [false, [['and', wrong, input]]],
      [false, [['and', input, wrong]]],
      [
        false,
        [
          ['or', input],
          ['and', wrong],
        ],
      ],
      [true, [['or', right, input]]],
      [true, [['or', input, right]]],
    ];
    for (const [passed, group] of groups) expect([group, compile(group)(bare)]).toEqual([group, passed]);
  });

  test('let every event pass while the filters are disabled', () => {
    expect(filter([['and', wrong]], false)).toBe(true);
  });
});

const ONLY_SECRETS: FilterRules = {
  enabled: true,
  groups: [{ logic: 'and', rules: [{ field: 'output', operator: 'regex', value: 'secret' }] }],
};

test('a selector applies the filters of its destination', () => {
  const select = createSelector(openRules({ filterRules: ONLY_SECRETS }));
  expect(select(broadcastEvent(), IDS)).toBe('sent');
  expect(select(broadcastEvent({ content: { ...CONTENT, outputText: 'public' } }), IDS)).toBe('filter_rules');
  expect(select(broadcastEvent({ content: null }), IDS)).toBe('undecided');
});

test('filters read content and cost that privacy mode and flags withhold', () => {
  const flags = {
    sendsCost: false,
    sendsCostAllocation: false,
    sendsIdentity: false,
    sendsRequestContext: false,
  };
  const rules = openRules({ filterRules: ONLY_SECRETS, privacyMode: true, flags });
  expect(createSelector(rules)(broadcastEvent(), IDS)).toBe('sent');
});
