/** Lists the logged inputs and outputs in the object store, and finds the expired ones. */
import type { ReadScope } from '../../domain/principal.ts';
import type { Handle } from '../postgres/connection.ts';
import { bool, type RowOf, selectList, text } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';

export interface LoggedBodyRow {
  generationId: string;
  organizationId: string;
  workspaceId: string;
  objectKey: string;
}

const EXPIRED_BODY = {
  generationId: text,
  objectKey: text,
  /** A time in the text format of Postgres, with microseconds. */
  expiresAt: text,
};
export type ExpiredBody = RowOf<typeof EXPIRED_BODY>;

/** The position of a body in the order of expiry. */
export type ExpiryPosition = Pick<ExpiredBody, 'expiresAt' | 'generationId'>;

const LOGGED_OBJECT = {
  generationId: text,
  objectKey: text,
  /** True: the object may be deleted at any moment. */
  endsSoon: bool,
};
export type LoggedObject = RowOf<typeof LOGGED_OBJECT>;

const BEFORE_ALL: ExpiryPosition = { expiresAt: '-infinity', generationId: '' };

/** Stores which generations have a logged body, and the key of its object. */
export function createLoggedBodyStore(handle: Handle) {
  return {
    ...expiredBodies(handle),

    /** Records bodies before they are uploaded. A repetition changes nothing. */
    async insert(bodies: readonly LoggedBodyRow[], retentionMs: number): Promise<void> {
      await run(
        handle,
        `insert into logged_bodies (generation_id, organization_id, workspace_id, object_key, expires_at)
         select b.*, now() + :retentionMs * interval '1 millisecond'
         from unnest(:generationIds::text[], :organizationIds::uuid[], :workspaceIds::uuid[], :keys::text[]) b
         on conflict do nothing`,
        {
          retentionMs,
          generationIds: bodies.map(({ generationId }) => generationId),
          organizationIds: bodies.map(({ organizationId }) => organizationId),
          workspaceIds: bodies.map(({ workspaceId }) => workspaceId),
          keys: bodies.map(({ objectKey }) => objectKey),
        },
      );
    },

    /** Returns the key of a body; null if it does not exist, has expired, or belongs to another reader. */
    async findKey(scope: ReadScope, generationId: string): Promise<string | null> {
      const [body] = await rowsOf(
        handle,
        { objectKey: text },
        `select object_key "objectKey" from logged_bodies
         where generation_id = :generationId and expires_at > now() and organization_id = :organizationId
           and workspace_id = coalesce(:workspaceId, workspace_id)`,
        { generationId, organizationId: scope.organizationId, workspaceId: scope.workspaceId ?? null },
      );
      return body?.objectKey ?? null;
    },

    async forget(generationIds: readonly string[]): Promise<void> {
      await run(handle, 'delete from logged_bodies where generation_id = any(:generationIds)', {
        generationIds,
      });
    },
  };
}

export type LoggedBodyStore = ReturnType<typeof createLoggedBodyStore>;

/** Builds the methods that find bodies to delete. */
function expiredBodies(handle: Handle) {
  return {
    /** Returns the next expired bodies after a position. */
    expired: (limit: number, after: ExpiryPosition = BEFORE_ALL): Promise<ExpiredBody[]> =>
      rowsOf(
        handle,
        EXPIRED_BODY,
        `select ${selectList(EXPIRED_BODY, undefined, { expiresAt: 'expires_at::text' })} from logged_bodies
         where expires_at <= now() and (expires_at, generation_id) > (:expiresAt::timestamptz, :generationId)
         order by expires_at, generation_id limit :limit`,
        { ...after, limit },
      ),

    /** Returns the next bodies by generation. `endsSoon`: the body expires within the hour, or has expired. */
    page: (afterGenerationId: string, limit: number): Promise<LoggedObject[]> =>
      rowsOf(
        handle,
        LOGGED_OBJECT,
        `select generation_id "generationId", object_key "objectKey",
           expires_at <= now() + interval '1 hour' "endsSoon"
         from logged_bodies where generation_id > :afterGenerationId order by generation_id limit :limit`,
        { afterGenerationId, limit },
      ),
  };
}
