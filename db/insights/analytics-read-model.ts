/** Runs analytics queries against Postgres, converts their rows, and reads the display names of their groups. */
import { nanosToUsd } from '../../domain/money.ts';
import type { Metric } from '../../domain/insights/analytics-metrics.ts';
import { type AnalyticsReading, analyticsStatement } from './analytics-statement.ts';
import { labelStatement, type LabelQuery } from './analytics-labels.ts';
import type { Handle } from '../postgres/connection.ts';
import type { Sql } from '../postgres/sql-text.ts';
import { text, timestamptz } from '../postgres/shape.ts';
import { rowsOf, run, untypedRowsOf } from '../postgres/statement.ts';

/** One group, with its values in the order of the query. */
export interface AnalyticsRow {
  /** The beginning of the period; null without a granularity. */
  at: Date | null;
  /** Ids of keys and apps are numbers. */
  dimensions: (string | number | null)[];
  tags: (string | null)[];
  metrics: (number | null)[];
}

export interface AnalyticsResult {
  rows: AnalyticsRow[];
  /** The number of groups without the limits. */
  total: number;
}

/** A row. Its columns depend on the query; `bigint` and `numeric` arrive as strings. */
type Row = Record<string, unknown>;

/** Reads analytics. The queries are long, so the pool must be a separate one. */
export function createAnalyticsReadModel(handle: Handle) {
  return {
    async read(reading: AnalyticsReading): Promise<AnalyticsResult> {
      const statement = analyticsStatement(reading);
      const rows = isShort(reading)
        ? await readAlone(handle, statement)
        : await untypedRowsOf(handle, statement);
      return { rows: rows.map((row) => toRow(row, reading)), total: Number(rows[0]?.['total'] ?? 0) };
    },

    /** Returns a moment up to which rollups contain all generations, also on a replica that lags. */
    async summedTo(): Promise<Date> {
      const [row] = await rowsOf(handle, { at: timestamptz }, 'select reached_at at from ledger_sums');
      return row!.at;
    },

    /** Returns display names by `labelKey`, of the organization only. */
    async labels(organizationId: string, queries: readonly LabelQuery[]): Promise<Map<string, string>> {
      const statement = labelStatement(organizationId, queries);
      if (statement === undefined) return new Map();
      const rows = await rowsOf(handle, { key: text, label: text }, statement);
      return new Map(rows.map(({ key, label }) => [key, label]));
    },
  };
}

export type AnalyticsReadModel = ReturnType<typeof createAnalyticsReadModel>;

const HOUR_MS = 3_600_000;

/** Returns whether a query is short: it reads rollups, and at most the edges of hours. */
function isShort({ parts }: AnalyticsReading): boolean {
  return parts.every(
    ({ source, start, end }) => source !== 'rows' || end.getTime() - start.getTime() < HOUR_MS,
  );
}

/** Reads without parallel workers. Starting them takes longer than a short query, most of all under load. */
function readAlone(handle: Handle, statement: Sql): Promise<Row[]> {
  return handle.transaction(
    async (transaction) => {
      await run(transaction, 'set local max_parallel_workers_per_gather = 0');
      return untypedRowsOf(transaction, statement);
    },
    { readOnly: true },
  );
}

function toRow(row: Row, { metrics, dimensions, tags }: AnalyticsReading): AnalyticsRow {
  const tagCount = tags?.groupBy === undefined ? 0 : tags.groupBy.names.length || 2;
  return {
    at: row['at'] instanceof Date ? row['at'] : null,
    dimensions: dimensions.map((dimension, n) => {
      const value = textOf(row[`d${n}`]);
      return value !== null && (dimension === 'api_key_id' || dimension === 'app') ? Number(value) : value;
    }),
    tags: Array.from({ length: tagCount }, (_, n) => textOf(row[`t${n}`])),
    metrics: metrics.map((metric, n) => toNumber(metric, textOf(row[`m${n}`]))),
  };
}

function toNumber(metric: Metric, value: string | null): number | null {
  if (value === null) return null;
  const isMoney = metric === 'total_usage' || metric === 'byok_usage';
  return isMoney ? nanosToUsd(BigInt(value)) : Number(value);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}
