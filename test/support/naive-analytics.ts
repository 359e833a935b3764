import type { Dimension } from '../../domain/insights/analytics-dimensions.ts';
import type { Metric } from '../../domain/insights/analytics-metrics.ts';
import type { AnalyticsQuery, Granularity } from '../../domain/insights/analytics-query.ts';
import type { GenerationRecord } from '../../domain/ledger/generation.ts';

/** A generation with what only the tables around the ledger know. */
export interface KnownGeneration {
  record: GenerationRecord;
  keyHash: string;
  appId: number | null;
  tags: { dimension: string; value: string }[];
}

export interface NaiveContext {
  organizationId: string;
  defaultWorkspaceId: string;
  unresolvedWorkspaceId: string;
  /** Of the query's classifier. */
  classifierWorkspaceId?: string;
  now: Date;
}

export interface NaiveGroup {
  at: string | null;
  dimensions: (string | number | null)[];
  tags: (string | null)[];
  of: KnownGeneration[];
}

/** The groups of a query by the plainest reading of its rules, a generation at a time. In no order. */
export function naiveGroups(
  query: AnalyticsQuery,
  generations: readonly KnownGeneration[],
  context: NaiveContext,
): NaiveGroup[] {
  const { start, end } = query.range ?? {
    start: new Date(context.now.getTime() - 30 * 86_400_000),
    end: context.now,
  };
  const groups = new Map<string, NaiveGroup>();
  for (const one of generations) {
    const { organizationId, settledAt } = one.record;
    if (organizationId !== context.organizationId || settledAt < start || settledAt >= end) continue;
    if (!passesFilters(query, one, context)) continue;
    for (const tags of tagGroupsOf(query, one)) {
      const at =
        query.granularity === undefined ? null : periodOf(query.granularity, settledAt).toISOString();
      const dimensions = query.dimensions.map((dimension) => valueOf(dimension, one, context));
      const key = JSON.stringify([at, dimensions, tags]);
      const group = groups.get(key) ?? { at, dimensions, tags, of: [] };
      group.of.push(one);
      groups.set(key, group);
    }
  }
  const isTotal =
    query.granularity === undefined &&
    query.dimensions.length === 0 &&
    query.classifier?.groupBy === undefined;
  if (isTotal && groups.size === 0) return [{ at: null, dimensions: [], tags: [], of: [] }];
  return [...groups.values()];
}

function passesFilters(
  { filters, classifier }: AnalyticsQuery,
  one: KnownGeneration,
  context: NaiveContext,
): boolean {
  const passes = filters.every(({ field, operator, value, includeUnset }) => {
    const own = valueOf(field, one, context);
    const list = [value].flat();
    if (own === null) return includeUnset && (operator === 'in' || operator === 'not_in');
    const isNamed = list.some(
      (wanted) => String(wanted) === String(own) || (field === 'api_key_id' && wanted === one.keyHash),
    );
    if (operator === 'eq' || operator === 'in') return isNamed;
    if (operator === 'neq' || operator === 'not_in') return !isNamed;
    const [left, right] = [Number(own), Number(list[0])];
    return { gt: left > right, gte: left >= right, lt: left < right, lte: left <= right }[operator];
  });
  if (!passes || classifier === undefined) return passes;
  if (valueOf('workspace', one, context) !== context.classifierWorkspaceId) return false;
  return classifier.filters.every(({ field, operator, values }) => {
    const own = one.tags.filter(({ dimension }) => dimension === field).map(({ value }) => value);
    const isNamed = own.some((value) => values.includes(value));
    return operator === 'eq' || operator === 'in' ? isNamed : own.length > 0 && !isNamed;
  });
}

function tagGroupsOf({ classifier }: AnalyticsQuery, { tags }: KnownGeneration): (string | null)[][] {
  if (classifier?.groupBy === undefined) return [[]];
  const { names, includeNulls } = classifier.groupBy;
  const nothing = includeNulls ? [null] : [];
  if (names.length === 0) {
    if (tags.length > 0) return tags.map(({ dimension, value }) => [dimension, value]);
    return includeNulls ? [[null, null]] : [];
  }
  let groups: (string | null)[][] = [[]];
  for (const name of names) {
    const values = tags.filter(({ dimension }) => dimension === name).map(({ value }) => value);
    groups = groups.flatMap((group) =>
      (values.length > 0 ? values : nothing).map((value) => [...group, value]),
    );
  }
  return groups;
}

function valueOf(
  dimension: Dimension,
  { record, appId }: KnownGeneration,
  context: NaiveContext,
): string | number | null {
  const { unresolvedWorkspaceId, defaultWorkspaceId } = context;
  const values: Record<Dimension, string | number | null> = {
    model: record.model,
    provider: record.provider,
    api_key_id: record.keyId,
    workspace: record.workspaceId === unresolvedWorkspaceId ? defaultWorkspaceId : record.workspaceId,
    user: record.userId,
    external_user: record.externalUser,
    app: appId,
    origin: record.app?.origin ?? null,
    country: record.country,
    region: record.dataRegion,
    api_type: record.apiType,
    finish_reason: record.finishReason,
    status: record.status,
    streamed: String(record.streamed),
    preset: record.presetId,
  };
  return values[dimension];
}

/** By the calendar, not by counting milliseconds. */
function periodOf(granularity: Granularity, at: Date): Date {
  const begin = new Date(at);
  begin.setUTCSeconds(0, 0);
  if (granularity === 'minute') return begin;
  begin.setUTCMinutes(0);
  if (granularity === 'hour') return begin;
  begin.setUTCHours(0);
  if (granularity === 'month') begin.setUTCDate(1);
  while (granularity === 'week' && begin.getUTCDay() !== 1) begin.setUTCDate(begin.getUTCDate() - 1);
  return begin;
}

/** Percentiles are answered from histograms: they are held against the bucket instead (`percentileOf`). */
export function naiveMetric(
  metric: Exclude<Metric, 'latency_p50' | 'latency_p95'>,
  of: KnownGeneration[],
): number | null {
  const records = of.map(({ record }) => record);
  const sum = (read: (record: GenerationRecord) => number | null | undefined): number =>
    records.reduce((total, record) => total + (read(record) ?? 0), 0);
  const usd = (some: GenerationRecord[]): number =>
    Number(some.reduce((total, { costNanos }) => total + costNanos, 0n)) / 1e9;
  const ratio = (over: number, under: number): number | null => (under === 0 ? null : over / under);
  const latencies = records.flatMap(({ latencyMs }) => latencyMs ?? []);
  const timed = records.filter(
    ({ generationMs, usage }) => (generationMs ?? 0) > 0 && (usage?.completion ?? 0) > 0,
  );
  const timedSum = (read: (record: GenerationRecord) => number | null | undefined): number =>
    timed.reduce((total, record) => total + (read(record) ?? 0), 0);
  const prompt = sum(({ usage }) => usage?.prompt);
  const cached = sum(({ usage }) => usage?.cacheRead);
  const errors = records.filter(({ status }) => status === 'failed' || status === 'expired').length;
  const values: Record<typeof metric, number | null> = {
    request_count: records.length,
    total_usage: usd(records.filter(({ isByok }) => !isByok)),
    byok_usage: usd(records.filter(({ isByok }) => isByok)),
    tokens_total: prompt + sum(({ usage }) => usage?.completion),
    tokens_prompt: prompt,
    tokens_completion: sum(({ usage }) => usage?.completion),
    reasoning_tokens: sum(({ usage }) => usage?.reasoning),
    cached_tokens: cached,
    cache_hit_rate: ratio(cached, prompt),
    error_count: errors,
    error_rate: ratio(errors, records.length),
    latency_avg: ratio(
      latencies.reduce((total, one) => total + one, 0),
      latencies.length,
    ),
    throughput_avg: ratio(
      timedSum(({ usage }) => usage?.completion) * 1000,
      timedSum(({ generationMs }) => generationMs),
    ),
    media_count: sum(({ mediaCompletion }) => mediaCompletion),
  };
  return values[metric];
}

/** The smallest latency that so large a share does not exceed. */
export function percentileOf(share: number, of: KnownGeneration[]): number | null {
  const latencies = of.flatMap(({ record }) => record.latencyMs ?? []).toSorted((a, b) => a - b);
  return latencies[Math.ceil(share * latencies.length) - 1] ?? null;
}
