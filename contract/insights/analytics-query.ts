/** Defines and checks the body of an analytics query. */
import { z } from 'zod';
import { DIMENSION_NAMES } from '../../domain/insights/analytics-dimensions.ts';
import { problemOfFilter } from '../../domain/insights/analytics-filter-rules.ts';
import { METRIC_NAMES } from '../../domain/insights/analytics-metrics.ts';
import {
  GRANULARITIES,
  MAX_ROWS,
  OPERATOR_NAMES,
  TAG_OPERATORS,
  tagColumnNames,
} from '../../domain/insights/analytics-query.ts';
import { MAX_TAG_DIMENSION_LENGTH, TAG_DIMENSION_PATTERN } from '../../domain/insights/classifier.ts';
import { moment, UTC_SUFFIX } from '../moment.ts';
import { text } from '../text.ts';

/**
 * The most values of a list in a query. 20 filters of that many values are checked in 10 ms, and in 50 ms if every
 * value is invalid.
 */
export const MAX_QUERY_ENTRIES = 1_000;

const MAX_VALUE_LENGTH = 1_024;

const scalar = z.union([text({ max: MAX_VALUE_LENGTH }), z.number()], 'must be a string or a number');
const values = z.union(
  [text({ max: MAX_VALUE_LENGTH }), z.number(), z.array(scalar).max(MAX_QUERY_ENTRIES)],
  `must be a string of at most ${MAX_VALUE_LENGTH} characters, a number, or a list of at most ${MAX_QUERY_ENTRIES} of them`,
);

const filter = z
  .object({
    field: z.enum(DIMENSION_NAMES),
    operator: z.enum(OPERATOR_NAMES),
    value: values.meta({
      description:
        'Ids, not labels: the numeric id or the hash of a key, `user_<id>`, the UUID of a workspace, the numeric id of an app, `<author>/<model>`; for other dimensions, the value as it is returned.',
    }),
    include_unset: z.boolean().optional().meta({
      description:
        'True, with `in` or `not_in`: generations without a value match too. Otherwise they never match.',
    }),
  })
  .superRefine(({ field, operator, value }, context) => {
    const problem = problemOfFilter(field, operator, value);
    if (problem !== undefined) context.addIssue({ code: 'custom', ...problem });
  })
  .meta({ id: 'AnalyticsFilter' });

const timeRange = z
  .object({
    start: moment,
    end: moment.meta({ description: 'The end of the range, which is not included.' }),
  })
  .refine(({ start, end }) => sortableTime(start) < sortableTime(end), {
    path: ['end'],
    error: 'must be after start',
  })
  .meta({ id: 'AnalyticsTimeRange', description: 'Absent: the last 30 days.' });

/** Normalizes a time so that texts sort chronologically, with any number of fractional digits. */
function sortableTime(value: string): string {
  const [seconds = '', fraction = ''] = value.replace(UTC_SUFFIX, '').split('.');
  return `${seconds}.${fraction.replace(/0+$/, '')}`;
}

export const tagDimension = z
  .string()
  .max(MAX_TAG_DIMENSION_LENGTH)
  .regex(TAG_DIMENSION_PATTERN, 'must be snake_case: lower-case letters and digits, in words joined by _');

const classifierDimensions = z
  .object({
    classifier_id: z.uuid(),
    dimension_names: z
      .array(tagDimension)
      .max(2)
      .refine((names) => new Set(names).size === names.length, 'must not repeat a name')
      .optional()
      .meta({
        description:
          'Each dimension is a column. Empty: the columns are `clf_dimension_name` and `clf_dimension_value`, with a row for each pair.',
      }),
    include_nulls: z
      .boolean()
      .optional()
      .meta({ description: 'True: also includes generations without a tag.' }),
  })
  .meta({ id: 'AnalyticsClassifierDimensions' });

const classifierFilter = z
  .object({ field: tagDimension, operator: z.enum(TAG_OPERATORS), value: values })
  .superRefine(({ operator, value }, context) => {
    const wantsList = operator === 'in' || operator === 'not_in';
    if (wantsList === Array.isArray(value)) return;
    const message = wantsList ? `must be a list for ${operator}` : `must not be a list for ${operator}`;
    context.addIssue({ code: 'custom', path: ['value'], message });
  })
  .meta({ id: 'AnalyticsClassifierFilter' });

const classifierFilters = z
  .object({ classifier_id: z.uuid(), filters: z.array(classifierFilter).min(1).max(10) })
  .meta({ id: 'AnalyticsClassifierFilters' });

const order = z
  .object({ field: text({ max: 64 }), direction: z.enum(['asc', 'desc']) })
  .meta({ id: 'AnalyticsOrder' });

/** The body of POST /analytics/query. */
export const analyticsQuery = z
  .object({
    metrics: z.array(z.enum(METRIC_NAMES)).min(1).max(64),
    dimensions: z.array(z.enum(DIMENSION_NAMES)).max(2).optional(),
    filters: z.array(filter).max(20).optional().meta({ description: 'A generation must pass all filters.' }),
    granularity: z.enum(GRANULARITIES).optional().meta({
      description:
        'The length of the periods. Only periods with generations have rows. Weeks begin on Monday.',
    }),
    time_range: timeRange.optional(),
    limit: z
      .int()
      .min(1)
      .max(MAX_ROWS)
      .optional()
      .meta({
        description: `The maximum number of rows. Absent: 1000, or ${MAX_ROWS} for a series over time of groups without a group_limit.`,
      }),
    group_limit: z.int().min(1).max(MAX_ROWS).optional().meta({
      description: 'The maximum number of rows of each group in a series over time. Absent: all periods.',
    }),
    order_by: order.optional().meta({
      description:
        'Sorts by a metric, dimension or column of the classifier of the query, `request_count`, or `date`, which has no effect without a granularity. Absent: by date, then by the first metric, the largest first.',
    }),
    classifier_dimensions: classifierDimensions.optional(),
    classifier_filters: classifierFilters.optional(),
  })
  .superRefine(checkRelatedFields)
  .meta({ id: 'AnalyticsQuery' });

export type AnalyticsQueryBody = z.output<typeof analyticsQuery>;

interface RelatedFields {
  metrics: string[];
  dimensions?: string[] | undefined;
  order_by?: { field: string } | undefined;
  classifier_dimensions?: { classifier_id: string; dimension_names?: string[] | undefined } | undefined;
  classifier_filters?: { classifier_id: string } | undefined;
}

/** Checks rules that involve several fields. */
function checkRelatedFields(query: RelatedFields, context: z.RefinementCtx): void {
  const refuse = (path: (string | number)[], message: string): void =>
    context.addIssue({ code: 'custom', path, message });
  const { metrics, dimensions = [], order_by: sort } = query;
  const { classifier_dimensions: groups, classifier_filters: filters } = query;
  const tagColumns = groups === undefined ? [] : tagColumnNames(groups.dimension_names ?? []);
  const sortable = [...new Set([...metrics, 'request_count', ...dimensions, ...tagColumns, 'date'])];
  if (sort !== undefined && !sortable.includes(sort.field)) {
    refuse(['order_by', 'field'], `must be one of ${sortable.join(', ')} in this query`);
  }
  if (groups === undefined) return;
  if (filters !== undefined && filters.classifier_id.toLowerCase() !== groups.classifier_id.toLowerCase()) {
    refuse(['classifier_filters', 'classifier_id'], 'must be that of classifier_dimensions');
  }
  const taken = new Set([...metrics, ...dimensions, ...dimensions.map((name) => `${name}_label`)]);
  for (const [index, name] of (groups.dimension_names ?? []).entries()) {
    if (!taken.has(name)) continue;
    refuse(
      ['classifier_dimensions', 'dimension_names', index],
      'is the name of another column of this query',
    );
  }
}
