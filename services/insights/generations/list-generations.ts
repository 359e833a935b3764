/** Lists the generations of an organization, the newest first, in pages that cannot take long. */
import { type AnalyticsLookups, withUnresolved } from '../../../db/insights/analytics-lookups.ts';
import type {
  GenerationListReadModel,
  GenerationScan,
  ListedGeneration,
} from '../../../db/insights/generation-list-read-model.ts';
import {
  type GenerationFilter,
  type GenerationPosition,
  positionBefore,
  positionOf,
} from '../../../domain/insights/generation-list.ts';
import { AppError } from '../../../domain/errors.ts';
import { type Principal, type ReadScope, readScope } from '../../../domain/principal.ts';
import { startOf, utcDayOf } from '../../../domain/utc-day.ts';
import { convertTimeouts } from '../analytics/convert-timeouts.ts';
import type { ConcurrencyLimit } from '../../concurrency-limit.ts';

export interface GenerationListQuery extends Omit<GenerationFilter, 'keyId' | 'model'> {
  keyHash?: string | undefined;
  /** Any name of a model. */
  modelName?: string | undefined;
  start?: Date | undefined;
  end?: Date | undefined;
  /** The `next` of an earlier page. */
  cursor?: string | undefined;
  limit: number;
}

export interface GenerationPage {
  generations: (ListedGeneration & { providerName: string })[];
  /** The cursor of the next page; null if this is the last one. */
  next: string | null;
  /** All matches created after this moment are in this page or an earlier one. */
  scannedTo: Date;
}

export interface GenerationListDeps {
  lookups: AnalyticsLookups;
  list: GenerationListReadModel;
  concurrencyLimit: ConcurrencyLimit;
  /** Returns the canonical slug of a model by any of its names; the name itself if the catalog has no such model. */
  canonicalSlugOf(name: string): string;
  providerName(slug: string): string;
  /** Milliseconds for which generations are kept. */
  retentionMs: number;
  now?: () => number;
}

/** The most generations that a page looks through, and those of one statement. */
const MAX_SCANNED = 200_000;
const SCANNED_AT_ONCE = 20_000;
/** The time after which a page with filters that have no index begins no further statement. */
const MAX_PAGE_MS = 300;
/** The length of the first part of the ledger that a page looks through. */
const FIRST_PART_MS = 3_600_000;
/** The factor by which parts grow: with 4, thirty days take six of them. */
const GROWTH = 4;
/** Clocks of processes differ, and generations that are too old stay for a while. */
const MARGIN_MS = 86_400_000;

/** A key id that no generation has. It replaces hashes that belong to no key of the organization. */
const NO_KEY = 0;

export function createGenerationList(deps: GenerationListDeps) {
  const { now = Date.now } = deps;
  return {
    /** Returns a page. Throws 408 like analytics when Postgres is too slow. */
    async page(principal: Principal, query: GenerationListQuery, gone: AbortSignal): Promise<GenerationPage> {
      const { organizationId } = principal;
      const scope = readScope(principal);
      const filter = await resolve(deps, organizationId, query);
      const workspaceIds = await workspacesOf(deps, scope, filter);
      const from = new Date(Math.max(query.start?.getTime() ?? 0, now() - deps.retentionMs - MARGIN_MS));
      const after =
        query.cursor === undefined
          ? positionBefore(query.end ?? new Date(now() + MARGIN_MS))
          : positionOf(query.cursor);
      const today = startOf(utcDayOf(new Date(now())));
      const page = { scope, filter, workspaceIds, limit: query.limit, from, after };
      const found = await deps.concurrencyLimit.run(organizationId, gone, () =>
        convertTimeouts(() => scanParts(deps.list, page, today, gone)),
      );
      return {
        generations: found.matches.map((one) => ({ ...one, providerName: deps.providerName(one.provider) })),
        next: found.stoppedAt?.id ?? null,
        scannedTo: found.stoppedAt?.createdAt ?? from,
      };
    },
  };
}

export type GenerationList = ReturnType<typeof createGenerationList>;

async function resolve(
  { lookups, canonicalSlugOf }: GenerationListDeps,
  organizationId: string,
  { keyHash, modelName, ...filter }: GenerationListQuery,
): Promise<GenerationFilter> {
  const hash = keyHash?.toLowerCase();
  const keyIds = hash === undefined ? undefined : await lookups.keyIdsOf(organizationId, [hash]);
  return {
    ...filter,
    keyId: hash === undefined ? undefined : (keyIds?.get(hash) ?? NO_KEY),
    model: modelName === undefined ? undefined : canonicalSlugOf(modelName),
  };
}

/** Returns the workspaces that a list may have generations of. */
async function workspacesOf(
  { lookups }: GenerationListDeps,
  { organizationId, workspaceId }: ReadScope,
  filter: GenerationFilter,
): Promise<string[]> {
  if (workspaceId !== undefined) return [workspaceId];
  if (filter.workspaceId !== undefined) return [filter.workspaceId];
  const { ids, defaultId } = await lookups.workspacesOf(organizationId);
  return withUnresolved(ids, defaultId);
}

/** The filters that have no index. With one of them, a page may look through many generations in vain. */
const UNINDEXED = [
  'provider',
  'apiType',
  'status',
  'userId',
  'externalUser',
  'sessionId',
  'minCost',
  'maxCost',
] as const satisfies (keyof GenerationFilter)[];

/**
 * Looks through the ledger in parts, each four times as long as the one before, until the page is full or has taken
 * enough. So a page of an organization with many generations reads few partitions, and one of a quiet organization
 * takes few statements. Today is a part of its own, because its partition has no indexes of lists.
 */
async function scanParts(
  list: GenerationListReadModel,
  page: Omit<GenerationScan, 'maxScanned' | 'isIndexed'>,
  today: Date,
  gone: AbortSignal,
): Promise<{ matches: ListedGeneration[]; stoppedAt: GenerationPosition | undefined }> {
  const startedMs = performance.now();
  const isTimed = UNINDEXED.some((name) => page.filter[name] !== undefined);
  const matches: ListedGeneration[] = [];
  let scanned = 0;
  let after = page.after;
  let partMs = FIRST_PART_MS;
  for (;;) {
    if (gone.aborted) throw new AppError('client_cancelled');
    const isIndexed = after.createdAt <= today;
    const earliest = Math.max(page.from.getTime(), isIndexed ? 0 : today.getTime());
    const from = new Date(Math.max(earliest, after.createdAt.getTime() - partMs));
    const limit = page.limit - matches.length;
    const part = await list.scan({ ...page, isIndexed, from, after, limit, maxScanned: SCANNED_AT_ONCE });
    matches.push(...part.matches);
    if (part.stoppedAt === undefined && from <= page.from) return { matches, stoppedAt: undefined };
    after = part.stoppedAt ?? positionBefore(from);
    if (part.stoppedAt === undefined) partMs *= GROWTH;
    else scanned += SCANNED_AT_ONCE;
    const isLong = scanned >= MAX_SCANNED || (isTimed && performance.now() - startedMs > MAX_PAGE_MS);
    if (matches.length === page.limit || isLong) return { matches, stoppedAt: after };
  }
}
