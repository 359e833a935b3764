/** Defines the filters by which customers limit what an observability destination receives. */
import { z } from 'zod';
import {
  FILTER_FIELDS,
  FILTER_OPERATORS,
  type FilterOperator,
  MAX_FILTER_GROUPS,
  MAX_FILTER_RULES,
  MAX_REGEX_LENGTH,
  NUMBER_FIELDS,
} from '../../domain/broadcast/filter-rules.ts';
import { text } from '../text.ts';

const MAX_VALUE_LENGTH = 4_096;

const WITHOUT_VALUE: ReadonlySet<FilterOperator> = new Set<FilterOperator>(['exists', 'not_exists']);
const FOR_NUMBERS: ReadonlySet<FilterOperator> = new Set<FilterOperator>(['gt', 'lt', 'gte', 'lte']);
const FOR_TEXTS: ReadonlySet<FilterOperator> = new Set<FilterOperator>([
  'contains',
  'not_contains',
  'regex',
  'starts_with',
  'ends_with',
]);

const rule = z
  .object({
    field: z.enum(FILTER_FIELDS).meta({
      description: '`user_id` is the `user` of the request. `total_cost` is in US dollars.',
    }),
    operator: z.enum(FILTER_OPERATORS).meta({
      description:
        '`gt`, `lt`, `gte` and `lte` compare numbers. `contains`, `not_contains`, `starts_with`, `ends_with` and `regex` (RE2) compare texts and are case-sensitive. If a generation lacks the field, only `not_exists`, `not_equals` and `not_contains` match.',
    }),
    value: z
      .union([text({ max: MAX_VALUE_LENGTH }), z.number()], 'must be a string or a number')
      .optional()
      .meta({ description: 'Absent for `exists` and `not_exists`; required for all others.' }),
  })
  .superRefine(({ field, operator, value }, context) => {
    const refuse = (at: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [at], message });
    const isNumber = NUMBER_FIELDS.has(field);
    if (isNumber && FOR_TEXTS.has(operator)) refuse('operator', `compares texts, and ${field} is a number`);
    if (!isNumber && FOR_NUMBERS.has(operator))
      refuse('operator', `compares numbers, and ${field} is a text`);
    if (WITHOUT_VALUE.has(operator)) {
      if (value !== undefined) refuse('value', `must be absent with ${operator}`);
      return;
    }
    if (value === undefined) return refuse('value', `is required with ${operator}`);
    if (typeof value !== (isNumber ? 'number' : 'string')) {
      refuse('value', isNumber ? 'must be a number' : 'must be a string');
    }
    if (operator === 'regex' && String(value).length > MAX_REGEX_LENGTH) {
      refuse('value', `must have at most ${MAX_REGEX_LENGTH} characters`);
    }
  })
  .meta({ id: 'ObservabilityFilterRule' });

const logic = z.enum(['and', 'or']).meta({ description: 'Combines the rules of the group.' });
const group = z
  .object({ logic: logic.default('and'), rules: z.array(rule).min(1) })
  .meta({ id: 'NewObservabilityFilterGroup' });

/** The rules that select generations. A generation must pass every group. */
export const filterRules = z
  .object({
    enabled: z
      .boolean()
      .default(true)
      .meta({ description: '`false`: the rules are kept, but none applies.' }),
    groups: z.array(group).max(MAX_FILTER_GROUPS),
  })
  .superRefine(({ groups }, context) => {
    const count = groups.reduce((sum, { rules }) => sum + rules.length, 0);
    if (count <= MAX_FILTER_RULES) return;
    const message = `must have at most ${MAX_FILTER_RULES} rules in all groups`;
    context.addIssue({ code: 'custom', path: ['groups'], message });
  })
  .meta({
    id: 'NewObservabilityFilterRules',
    description: `A generation is sent if it passes every group. At most ${MAX_FILTER_GROUPS} groups and ${MAX_FILTER_RULES} rules in all.`,
  });

/** The filter rules in answers, with defaults filled in. */
export const shownFilterRules = z
  .object({
    enabled: z.boolean(),
    groups: z.array(z.object({ logic, rules: z.array(rule) }).meta({ id: 'ObservabilityFilterGroup' })),
  })
  .meta({ id: 'ObservabilityFilterRules' });
