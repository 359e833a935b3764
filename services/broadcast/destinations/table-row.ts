/** Converts a generation's span to a row for ClickHouse and Snowflake, and lists the columns of the row. */
import type { BroadcastSpan } from '../../../domain/broadcast/span.ts';
import type { TraceEncoder } from './destination-adapter.ts';

/** The kinds of columns. `json` is a text in ClickHouse and a VARIANT in Snowflake. */
export type ColumnKind = 'timestamp' | 'text' | 'name' | 'count' | 'amount' | 'json';

/** The columns of the table of spans, which are equal in every database. */
export const TABLE_COLUMNS = {
  TIMESTAMP: 'timestamp',
  TRACE_ID: 'text',
  SPAN_TYPE: 'name',
  USER_ID: 'text',
  SESSION_ID: 'text',
  API_KEY_NAME: 'text',
  MODEL: 'name',
  PROVIDER_NAME: 'name',
  STATUS: 'name',
  LEVEL: 'name',
  FINISH_REASON: 'name',
  PROMPT_TOKENS: 'count',
  COMPLETION_TOKENS: 'count',
  TOTAL_TOKENS: 'count',
  TOTAL_COST: 'amount',
  DURATION_MS: 'count',
  INPUT: 'json',
  OUTPUT: 'json',
  METADATA: 'json',
  ATTRIBUTES: 'json',
  MODEL_PARAMETERS: 'json',
} as const satisfies Record<string, ColumnKind>;
export type TableColumn = keyof typeof TABLE_COLUMNS;

export type TableRow = { [Column in TableColumn]?: unknown };

/**
 * Returns a span as a row. Unknown values are absent, so that their columns are null. ATTRIBUTES holds everything
 * without a column of its own, such as the generation's id as `gen_ai.response.id`.
 */
export function tableRow(span: BroadcastSpan, encoder: Pick<TraceEncoder, 'attributesOf'>): TableRow {
  const { content, ...rest } = span;
  return {
    TIMESTAMP: new Date(span.startedAtMs).toISOString(),
    TRACE_ID: span.traceId,
    SPAN_TYPE: 'GENERATION',
    USER_ID: span.identity?.externalUser,
    SESSION_ID: span.sessionId,
    API_KEY_NAME: span.identity?.apiKeyName,
    MODEL: span.responseModel,
    PROVIDER_NAME: span.provider,
    STATUS: span.error === undefined ? 'ok' : 'error',
    LEVEL: span.error === undefined ? 'DEFAULT' : 'ERROR',
    FINISH_REASON: span.finishReason,
    PROMPT_TOKENS: span.usage?.input,
    COMPLETION_TOKENS: span.usage?.output,
    TOTAL_TOKENS: span.usage?.total,
    TOTAL_COST: span.cost?.total,
    DURATION_MS: span.endedAtMs - span.startedAtMs,
    INPUT: content?.input,
    OUTPUT: content?.output,
    METADATA: span.metadata,
    ATTRIBUTES: encoder.attributesOf(rest, ['openrouter']),
    MODEL_PARAMETERS: span.parameters,
  };
}
