/** Turns one filter rule of a destination into a function that tests a generation. */
import type { BroadcastEvent } from '../../../domain/broadcast/event.ts';
import {
  CONTENT_FIELDS,
  type FilterOperator,
  type FilterRule,
  NUMBER_FIELDS,
} from '../../../domain/broadcast/filter-rules.ts';
import { type ContentField, compileCutTest, isCut } from './cut-text.ts';
import { fieldReader } from './field-value.ts';
import { compileRegex } from './regex.ts';

type Test<Value> = (value: Value) => boolean;

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
  const read = fieldReader(rule.field);
  const whenAbsent = PASSED_WHEN_ABSENT.has(rule.operator);
  const passes: Test<never> = NUMBER_FIELDS.has(rule.field)
    ? numberTest(rule.operator, Number(rule.value))
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

function numberTest(operator: FilterOperator, wanted: number): Test<number> {
  switch (operator) {
    case 'exists':
      return () => true;
    case 'equals':
      return (value) => value === wanted;
    case 'not_equals':
      return (value) => value !== wanted;
    case 'gt':
      return (value) => value > wanted;
    case 'lt':
      return (value) => value < wanted;
    case 'gte':
      return (value) => value >= wanted;
    case 'lte':
      return (value) => value <= wanted;
    default:
      return () => false;
  }
}

function textTest(operator: FilterOperator, wanted: string): Test<string> {
  switch (operator) {
    case 'exists':
      return () => true;
    case 'equals':
      return (value) => value === wanted;
    case 'not_equals':
      return (value) => value !== wanted;
    case 'contains':
      return (value) => value.includes(wanted);
    case 'not_contains':
      return (value) => !value.includes(wanted);
    case 'starts_with':
      return (value) => value.startsWith(wanted);
    case 'ends_with':
      return (value) => value.endsWith(wanted);
    case 'regex':
      return compileRegex(wanted);
    default:
      return () => false;
  }
}
