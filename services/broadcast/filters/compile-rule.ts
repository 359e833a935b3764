/** Turns one filter rule of a destination into a function that tests a generation. */
import type { BroadcastEvent } from '../../../domain/broadcast/event.ts';
import {
  CONTENT_FIELDS,
  type FilterOperator,
  type FilterRule,
  NUMBER_FIELDS,
} from '../../../domain/broadcast/filter-rules.ts';
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
 * result is undefined for a rule on a prompt or an answer that is missing.
 */
export function compileRule(rule: FilterRule): (event: BroadcastEvent) => boolean | undefined {
  const read = fieldReader(rule.field);
  const whenAbsent = PASSED_WHEN_ABSENT.has(rule.operator);
  const passes: Test<never> = NUMBER_FIELDS.has(rule.field)
    ? numberTest(rule.operator, Number(rule.value))
    : textTest(rule.operator, String(rule.value ?? ''));
  const isOnContent = CONTENT_FIELDS.has(rule.field);
  return (event) => {
    if (isOnContent && event.content === null) return undefined;
    const value = read(event);
    return value === null ? whenAbsent : passes(value as never);
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
