/** Reads the newest generations of an organization that match filters, for `GET /generations`. */
import { API_TYPES, GENERATION_STATUSES } from '../../domain/ledger/generation.ts';
import type { GenerationFilter, GenerationPosition } from '../../domain/insights/generation-list.ts';
import type { ReadScope } from '../../domain/principal.ts';
import type { Handle } from '../postgres/connection.ts';
import * as column from '../postgres/shape.ts';
import { type RowOf, selectList } from '../postgres/shape.ts';
import { joined, type Sql, sql, trustedText } from '../postgres/sql-text.ts';
import { rowsOf, run } from '../postgres/statement.ts';

const COLUMNS = {
  id: column.text,
  createdAt: column.timestamptz,
  workspaceId: column.uuid,
  /** Canonical slug. */
  model: column.text,
  /** Provider slug. */
  provider: column.text,
  apiType: column.enumOf(API_TYPES),
  status: column.enumOf(GENERATION_STATUSES),
  finishReason: column.text.orNull,
  costNanos: column.numeric,
  isByok: column.bool,
  streamed: column.bool,
  latencyMs: column.int4.orNull,
  generationMs: column.int4.orNull,
  tokensPrompt: column.int4.orNull,
  tokensCompletion: column.int4.orNull,
  tokensReasoning: column.int4.orNull,
  tokensCacheRead: column.int4.orNull,
  userId: column.text.orNull,
  externalUser: column.text.orNull,
  presetId: column.text.orNull,
};
const ROW = {
  ...COLUMNS,
  keyHash: column.text.orNull,
  keyName: column.text.orNull,
  isMatch: column.bool,
  /** True for the last row that the scan looks at. */
  isLast: column.bool,
};

/** A generation in a list, with its key. */
export type ListedGeneration = Omit<RowOf<typeof ROW>, 'isMatch' | 'isLast'>;

/** A part of the ledger to look through, the newest generations first. */
export interface GenerationScan {
  scope: ReadScope;
  filter: GenerationFilter;
  /** All workspaces of the scope. */
  workspaceIds: readonly string[];
  /** True: the part is of days that are over, whose partitions have the indexes of lists. */
  isIndexed: boolean;
  /** Only generations created at or after this moment. */
  from: Date;
  /** Only generations after this position in the list. */
  after: GenerationPosition;
  /** The most matches to return. */
  limit: number;
  /** The most generations to look at, of those that an index finds. */
  maxScanned: number;
}

/** The matches of a part, and the position at which the scan stopped; undefined at the end of the part. */
export interface ScannedGenerations {
  matches: ListedGeneration[];
  stoppedAt: GenerationPosition | undefined;
}

/** Reads lists of generations. Statements may be long, so the pool must be a separate one. */
export function createGenerationListReadModel(handle: Handle) {
  return {
    /** Returns the newest matches of a part of the ledger. */
    async scan(scan: GenerationScan): Promise<ScannedGenerations> {
      const rows = await handle.transaction(
        async (transaction) => {
          // Parallel workers would look at far more rows than the page needs.
          await run(transaction, 'set local max_parallel_workers_per_gather = 0');
          return rowsOf(transaction, ROW, scanStatement(scan));
        },
        { readOnly: true },
      );
      const matches = rows.filter(({ isMatch }) => isMatch);
      const last = rows.at(-1);
      const isFull = matches.length === scan.limit || last?.isLast === true;
      return { matches, stoppedAt: isFull ? last : undefined };
    },
  };
}

export type GenerationListReadModel = ReturnType<typeof createGenerationListReadModel>;

/** The largest assumed difference of clocks between the process that creates an id and the one that settles it. */
const CLOCK_SKEW_MS = 3_600_000;

const NEWEST_FIRST = sql`order by created_at desc, id desc`;

/**
 * Returns the matches among the next rows of the list, and the last of these rows, from where the next scan goes on.
 * Postgres reads an index in the order of the list, and stops when the page is full.
 */
function scanStatement(scan: GenerationScan): Sql {
  const { scope, filter, from, after, limit, maxScanned } = scan;
  const { createdAt, id } = after;
  const indexed = joined(
    [
      sql`organization_id = ${scope.organizationId}::uuid`,
      ...indexedConditions(scan),
      sql`created_at >= ${from}::timestamptz and created_at <= ${createdAt}::timestamptz`,
      sql`(created_at, id) < (${createdAt}::timestamptz, ${id}::text)`,
    ],
    ' and ',
  );
  const listed = trustedText(
    selectList(ROW, 'g', {
      keyHash: '(select hash from api_keys k where k.id = g.key_id)',
      keyName: '(select name from api_keys k where k.id = g.key_id)',
      isMatch: 'g.is_match',
      isLast: 'g.is_last',
    }),
  );
  return sql`
    select ${listed}
    from (
      select scanned.*, (${conditionsOf(scope, filter)}) is true is_match, place = ${maxScanned}::bigint is_last
      from (
        select *, row_number() over (${NEWEST_FIRST}) place
        from generations where ${indexed} ${NEWEST_FIRST} limit ${maxScanned}
      ) scanned
    ) g
    where is_match or is_last
    ${NEWEST_FIRST} limit ${limit}`;
}

/**
 * Returns the conditions that an index may help with. Today's rows are found by model, by workspace and end, if the
 * organization has few among them, or else in the order of the list.
 */
function indexedConditions({
  scope,
  filter,
  workspaceIds,
  isIndexed,
  from,
}: GenerationScan): (Sql | undefined)[] {
  const ofModel = filter.model === undefined ? undefined : sql`model = ${filter.model}`;
  if (isIndexed) return ofModel === undefined ? placeConditions(scope, filter) : [ofModel];
  const endedFrom = new Date(from.getTime() - CLOCK_SKEW_MS);
  return [
    sql`workspace_id = any(${workspaceIds}::uuid[]) and settled_at >= ${endedFrom}::timestamptz`,
    ofModel,
  ];
}

/** Returns the conditions on workspaces and keys. */
function placeConditions(scope: ReadScope, filter: GenerationFilter): (Sql | undefined)[] {
  return [
    scope.workspaceId === undefined ? undefined : sql`workspace_id = ${scope.workspaceId}::uuid`,
    filter.workspaceId === undefined ? undefined : sql`workspace_id = ${filter.workspaceId}::uuid`,
    filter.keyId === undefined ? undefined : sql`key_id = ${filter.keyId}::bigint`,
  ];
}

/** Returns the conditions that Postgres checks row by row: all but those on time and organization. */
function conditionsOf(scope: ReadScope, filter: GenerationFilter): Sql {
  const { model, provider, apiType, status, userId, externalUser, sessionId, minCost, maxCost } = filter;
  return joined(
    [
      sql`true`,
      ...placeConditions(scope, filter),
      model === undefined ? undefined : sql`model = ${model}`,
      provider === undefined ? undefined : sql`provider = ${provider}`,
      apiType === undefined ? undefined : sql`api_type = ${apiType}::api_type`,
      status === undefined ? undefined : sql`status = ${status}::generation_status`,
      userId === undefined ? undefined : sql`user_id = ${userId}`,
      externalUser === undefined ? undefined : sql`external_user = ${externalUser}`,
      minCost === undefined ? undefined : sql`cost_nanos >= ${String(minCost)}::numeric`,
      maxCost === undefined ? undefined : sql`cost_nanos <= ${String(maxCost)}::numeric`,
      // A join could make Postgres read all rows of the session's table first.
      sessionId === undefined
        ? undefined
        : sql`(select d.session_id from generation_details d
               where d.created_at = scanned.created_at and d.id = scanned.id) = ${sessionId}`,
    ],
    ' and ',
  );
}
