/** Finds callback URLs that have failed for days, so that their owners are notified. */
import { CALLBACK_FAILING_AFTER_MS } from '../../domain/webhooks/webhook-event.ts';
import type { Handle } from '../postgres/connection.ts';
import { anyRows } from '../postgres/results.ts';
import { type RowOf, text, uuid } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';

const FIVE_DAYS = `interval '${CALLBACK_FAILING_AFTER_MS} milliseconds'`;
/**
 * The time after its last failure at which an unused URL is deleted. It stops counting as failing five days earlier.
 */
const FORGOTTEN_AFTER = `interval '${2 * CALLBACK_FAILING_AFTER_MS} milliseconds'`;
const HASH = `sha256(convert_to(:url, 'UTF8'))`;

/** SQL: the URL of row `f` of `failing_callbacks` is the default callback URL of its workspace. */
const IS_DEFAULT = `f.url_hash = sha256(convert_to(workspaces.default_callback_url, 'UTF8'))`;

/**
 * SQL: the time since which a reported callback URL of `workspaces` fails. A URL other than the default may be unused,
 * so it stops counting as failing five days after its last failure.
 */
export const WEBHOOK_FAILING_SINCE = `(
  select min(f.failing_since) from failing_callbacks f
  where f.workspace_id = workspaces.id and f.reported_at is not null
    and (${IS_DEFAULT} or f.last_failed_at > now() - ${FIVE_DAYS}))`;

/** A callback URL that has failed for five days and is not reported yet. */
const FAILING_CALLBACK = {
  /** The id of the workspace. */
  id: uuid,
  organizationId: uuid,
  url: text,
};
export type FailingCallback = RowOf<typeof FAILING_CALLBACK>;

/**
 * Stores the callback URLs of workspaces that have failed since their last success. webhook-store.ts records failures
 * and successes.
 */
export function createFailingCallbackStore(handle: Handle) {
  return {
    ...reportWrites(handle),

    /**
     * Returns URLs that the sweep must report. A default callback URL is reported five days after its first failure,
     * because events may be rare. Any other URL must also have failed again after those five days. Each half of the
     * query has its own index, because a caller with a new URL for each job leaves many rows that are never reported.
     */
    unreported: (limit: number): Promise<FailingCallback[]> =>
      rowsOf(
        handle,
        FAILING_CALLBACK,
        `select * from (
           select workspaces.id, workspaces.organization_id "organizationId", f.url
           from workspaces join failing_callbacks f on f.workspace_id = workspaces.id and ${IS_DEFAULT}
           where workspaces.deleted_at is null and f.reported_at is null and f.failing_since <= now() - ${FIVE_DAYS}
           union
           select workspaces.id, workspaces.organization_id, f.url
           from failing_callbacks f join workspaces on workspaces.id = f.workspace_id
           where workspaces.deleted_at is null and f.reported_at is null
             and f.last_failed_at - f.failing_since >= interval '5 days'
             and f.last_failed_at > now() - ${FIVE_DAYS}
         ) unreported limit :limit`,
        { limit },
      ),

    /** Deletes up to `limit` unused URLs, but no default callback URL of a workspace. Returns the number. */
    deleteUnused: (limit: number): Promise<number> =>
      run(
        handle,
        `delete from failing_callbacks where (workspace_id, url_hash) in (
           select f.workspace_id, f.url_hash from failing_callbacks f
           join workspaces on workspaces.id = f.workspace_id
           where f.last_failed_at < now() - ${FORGOTTEN_AFTER}
             and (workspaces.deleted_at is not null or (${IS_DEFAULT}) is not true)
           order by f.last_failed_at limit :limit for update of f skip locked)`,
        { limit },
      ),
  };
}

/** Builds the methods that record which failures were reported. */
function reportWrites(handle: Handle) {
  return {
    /**
     * Marks the URL as reported. Returns false if it was marked before, or works again. Inside a transaction, others
     * that mark the same URL wait for the commit.
     */
    markReported: (workspaceId: string, url: string): Promise<boolean> =>
      anyRows(
        handle,
        `update failing_callbacks set reported_at = now()
         where workspace_id = :workspaceId and url_hash = ${HASH} and reported_at is null
           and failing_since <= now() - ${FIVE_DAYS}`,
        { workspaceId, url },
      ),

    /** Deletes the record of a URL's failures, because the URL works again. */
    async forget(workspaceId: string, url: string): Promise<void> {
      const statement = `delete from failing_callbacks where workspace_id = :workspaceId and url_hash = ${HASH}`;
      await run(handle, statement, { workspaceId, url });
    },
  };
}
