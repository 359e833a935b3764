/** Answers analytics queries of an organization, and limits how many run at once. */
import type { AnalyticsLookups } from '../../../db/insights/analytics-lookups.ts';
import type { AnalyticsReadModel, AnalyticsRow } from '../../../db/insights/analytics-read-model.ts';
import type { AnalyticsReading } from '../../../db/insights/analytics-statement.ts';
import { labelKey } from '../../../db/insights/analytics-labels.ts';
import type { TagUse } from '../../../db/insights/analytics-tags.ts';
import type { ClassifierStore } from '../../../db/insights/classifier-store.ts';
import { invalidRequest } from '../../../domain/errors.ts';
import { planParts } from '../../../domain/insights/analytics-plan.ts';
import {
  type AnalyticsQuery,
  DEFAULT_RANGE_MS,
  DEFAULT_ROWS,
  MAX_ROWS,
  type TimeRange,
} from '../../../domain/insights/analytics-query.ts';
import { convertTimeouts } from './convert-timeouts.ts';
import { resolveFilters } from './resolve-filters.ts';
import type { ConcurrencyLimit } from '../../concurrency-limit.ts';
import { warningsOf } from './warnings.ts';

export interface AnalyticsAnswer {
  rows: LabelledRow[];
  /** True when a limit cut rows off. */
  isTruncated: boolean;
  queryTimeMs: number;
  /** All generations that were recorded before this moment are in the answer. */
  summedTo: Date;
  warnings: string[];
}

export interface LabelledRow extends AnalyticsRow {
  /** The display names of the values of `dimensions`; null where there is no value. */
  labels: (string | null)[];
}

export interface AnalyticsServiceDeps {
  lookups: AnalyticsLookups;
  classifiers: Pick<ClassifierStore, 'find'>;
  /** Reads analytics over a pool of its own, so that heavy queries delay nothing else. */
  analytics: AnalyticsReadModel;
  concurrencyLimit: ConcurrencyLimit;
  /** Milliseconds for which generations are kept. */
  retentionMs: number;
  now?: () => Date;
}

/**
 * Answers queries about the usage of an organization. A filter with an id of another organization matches nothing. A
 * classifier that is not an active one of the organization gets a 400. A query gets a 408 when a statement exceeds its
 * time limit, or when it waits too long for other queries.
 */
export function createAnalyticsService(deps: AnalyticsServiceDeps) {
  const { analytics, concurrencyLimit, now = () => new Date() } = deps;
  return {
    async query(organizationId: string, query: AnalyticsQuery, gone: AbortSignal): Promise<AnalyticsAnswer> {
      const readAt = now();
      const startedMs = performance.now();
      const { unknownHashes, ...reading } = await prepare(deps, organizationId, query, readAt);
      const { rows, total, summedTo } = await concurrencyLimit.run(organizationId, gone, () =>
        convertTimeouts(async () => {
          const summedTo = await analytics.summedTo();
          const result = await analytics.read(reading);
          return { ...result, summedTo, rows: await label(analytics, organizationId, query, result.rows) };
        }),
      );
      return {
        rows,
        isTruncated: total > rows.length,
        queryTimeMs: Math.round(performance.now() - startedMs),
        summedTo,
        warnings: warningsOf(query, {
          parts: reading.parts,
          keptFrom: new Date(readAt.getTime() - deps.retentionMs),
          unknownHashes,
        }),
      };
    },
  };
}

export type AnalyticsService = ReturnType<typeof createAnalyticsService>;

async function prepare(
  { lookups, classifiers }: AnalyticsServiceDeps,
  organizationId: string,
  query: AnalyticsQuery,
  readAt: Date,
): Promise<AnalyticsReading & { unknownHashes: string[] }> {
  const { metrics, dimensions, granularity, groupLimit, orderBy, range = lately(readAt) } = query;
  const tags = query.classifier && (await resolveTags(classifiers, organizationId, query.classifier));
  const resolved = await resolveFilters(lookups, organizationId, query.filters, tags?.workspaceId);
  const isSeriesOfGroups = granularity !== undefined && hasGroups(query);
  return {
    ...resolved,
    metrics,
    dimensions,
    parts: planParts(query, range),
    limit: query.limit ?? (isSeriesOfGroups && groupLimit === undefined ? MAX_ROWS : DEFAULT_ROWS),
    granularity,
    tags: tags?.use,
    orderBy,
    groupLimit: hasGroups(query) ? groupLimit : undefined,
  };
}

function hasGroups({ dimensions, classifier }: AnalyticsQuery): boolean {
  return dimensions.length > 0 || classifier?.groupBy !== undefined;
}

function lately(now: Date): TimeRange {
  return { start: new Date(now.getTime() - DEFAULT_RANGE_MS), end: now };
}

async function label(
  analytics: AnalyticsReadModel,
  organizationId: string,
  { dimensions }: AnalyticsQuery,
  rows: AnalyticsRow[],
): Promise<LabelledRow[]> {
  const queries = dimensions.map((dimension, n) => {
    const values = rows.flatMap((row) => row.dimensions[n] ?? []);
    return { dimension, values: [...new Set(values)] };
  });
  const labels = await analytics.labels(organizationId, queries);
  return rows.map((row) => ({
    ...row,
    labels: dimensions.map((dimension, n) => {
      const value = row.dimensions[n] ?? null;
      return value === null ? null : (labels.get(labelKey(dimension, value)) ?? String(value));
    }),
  }));
}

/** Returns the tags of an active classifier of the organization. Throws 400 for any other. */
async function resolveTags(
  classifiers: Pick<ClassifierStore, 'find'>,
  organizationId: string,
  { id, groupBy, filters }: NonNullable<AnalyticsQuery['classifier']>,
): Promise<{ use: TagUse; workspaceId: string }> {
  const classifier = await classifiers.find(organizationId, id);
  if (classifier === null || !classifier.isActive) {
    const part = groupBy === undefined ? 'classifier_filters' : 'classifier_dimensions';
    throw invalidRequest({ path: `body.${part}.classifier_id`, message: 'is no active classifier' });
  }
  const use = { classifierId: classifier.id, filters, groupBy };
  return { use, workspaceId: classifier.workspaceId };
}
