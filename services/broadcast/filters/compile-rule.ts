/** Turns one filter rule of a destination into a function that tests a generation. */
import type { BroadcastEvent } from '../../../domain/broadcast/event.ts';
import {
  CONTENT_FIELDS,
  type FilterOperator,
  type FilterRule,
  NUMBER_FIELDS,
  type FilterField,
} from '../../../domain/broadcast/filter-rules.ts';
import { type ContentField, compileCutTest, isCut } from './cut-text.ts';
import { compileRegex } from './regex.ts';
import { inputTextOf } from '../../../domain/broadcast/message-text.ts';
import { nanosToUsd } from '../../../domain/money.ts';

type Test<Value> = (value: Value) => boolean;
type Comparison<Value> = (value: Value, wanted: Value) => boolean;

/** Operators that an absent field passes, because it has no value to compare. */
const PASSED_WHEN_ABSENT: ReadonlySet<FilterOperator> = new Set<FilterOperator>([
  'not_exists',
  'not_equals',
  'not_contains',
]);

/**
 * Compiles one rule. An operator that does not fit the field's kind never passes; the API refuses such rules. The
 * result is undefined for a rule on a prompt or an answer that is missing, or of which the kept part does not suffice.
 */
export function compileRule(rule: FilterRule): (event: BroadcastEvent) => boolean | undefined {
  const read = READ[rule.field];
  const whenAbsent = PASSED_WHEN_ABSENT.has(rule.operator);
  const passes: Test<never> = NUMBER_FIELDS.has(rule.field)
    ? testAgainst(Number(rule.value), NUMBER_TESTS[rule.operator])
    : textTest(rule.operator, String(rule.value ?? ''));
  const test = (event: BroadcastEvent): boolean => {
    const value = read(event);
    return value === null ? whenAbsent : passes(value as never);
  };
  return CONTENT_FIELDS.has(rule.field) ? contentTest(rule, test) : test;
}

/** Adds to a rule on content what it decides when content is missing or cut. */
function contentTest(
  { field: name, operator, value }: FilterRule,
  test: Test<BroadcastEvent>,
): (event: BroadcastEvent) => boolean | undefined {
  const field = name as ContentField;
  const testCut = compileCutTest(field, operator, String(value ?? ''));
  return (event) => {
    const { content } = event;
    if (content === null) return undefined;
    return isCut(content, field) ? testCut(content) : test(event);
  };
}

function textTest(operator: FilterOperator, wanted: string): Test<string> {
  return operator === 'regex' ? compileRegex(wanted) : testAgainst(wanted, TEXT_TESTS[operator]);
}

/** The tests of numbers by their operators. */
const NUMBER_TESTS: Partial<Record<FilterOperator, Comparison<number>>> = {
  exists: () => true,
  equals: (value, wanted) => value === wanted,
  not_equals: (value, wanted) => value !== wanted,
  gt: (value, wanted) => value > wanted,
  lt: (value, wanted) => value < wanted,
  gte: (value, wanted) => value >= wanted,
  lte: (value, wanted) => value <= wanted,
};

/** The tests of texts by their operators, without regular expressions. */
const TEXT_TESTS: Partial<Record<FilterOperator, Comparison<string>>> = {
  exists: () => true,
  equals: (value, wanted) => value === wanted,
  not_equals: (value, wanted) => value !== wanted,
  contains: (value, wanted) => value.includes(wanted),
  not_contains: (value, wanted) => !value.includes(wanted),
  starts_with: (value, wanted) => value.startsWith(wanted),
  ends_with: (value, wanted) => value.endsWith(wanted),
};

/** Returns the test against the value of a rule. Without a comparison, nothing passes. */
function testAgainst<Value>(wanted: Value, passes: Comparison<Value> = () => false): Test<Value> {
  return (value) => passes(value, wanted);
}

/** Reads a field; null means that it is absent. */
type Read = (event: BroadcastEvent) => string | number | null;

/**
 * Reads each field from the generation and not from its span, so that filters can use values that the destination may
 * not see.
 */
const READ: Record<FilterField, Read> = {
  model: ({ model }) => model,
  provider: ({ provider }) => provider,
  session_id: ({ sessionId }) => sessionId,
  user_id: ({ externalUser }) => externalUser,
  api_key_name: ({ key }) => key?.name ?? null,
  finish_reason: ({ finishReason }) => finishReason,
  input: ({ content }) => content && inputTextOf(content),
  output: ({ content }) => content?.outputText ?? null,
  total_cost: ({ costNanos }) => nanosToUsd(costNanos),
  total_tokens: ({ usage }) => (usage === null ? null : usage.prompt + usage.completion),
  prompt_tokens: ({ usage }) => usage?.prompt ?? null,
  completion_tokens: ({ usage }) => usage?.completion ?? null,
};
