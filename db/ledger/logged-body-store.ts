/** Lists the logged inputs and outputs in the object store, and finds the expired ones. */
import type { ReadScope } from '../../domain/principal.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';

export interface LoggedBodyRow {
  generationId: string;
  organizationId: string;
  workspaceId: string;
  objectKey: string;
}

/** The position of a body in the order of expiry. */
export interface ExpiryPosition {
  /** A time in the text format of Postgres, with microseconds. */
  expiresAt: string;
  generationId: string;
}

export interface ExpiredBody extends ExpiryPosition {
  objectKey: string;
}

export interface LoggedObject {
  generationId: string;
  objectKey: string;
  /** True: the object may be deleted at any moment. */
  endsSoon: boolean;
}

const BEFORE_ALL: ExpiryPosition = { expiresAt: '-infinity', generationId: '' };

/** Stores which generations have a logged body, and the key of its object. */
export function createLoggedBodyStore(handle: Handle) {
  return {
    ...expiredBodies(handle),

    /** Records bodies before they are uploaded. A repetition changes nothing. */
    async insert(bodies: readonly LoggedBodyRow[], retentionMs: number): Promise<void> {
      await handle.raw(
        `insert into logged_bodies (generation_id, organization_id, workspace_id, object_key, expires_at)
         select b.*, now() + ? * interval '1 millisecond'
         from unnest(?::text[], ?::uuid[], ?::uuid[], ?::text[]) b
         on conflict do nothing`,
        [
          retentionMs,
          bodies.map(({ generationId }) => generationId),
          bodies.map(({ organizationId }) => organizationId),
          bodies.map(({ workspaceId }) => workspaceId),
          bodies.map(({ objectKey }) => objectKey),
        ],
      );
    },

    /** Returns the key of a body; null if it does not exist, has expired, or belongs to another reader. */
    async findKey(scope: ReadScope, generationId: string): Promise<string | null> {
      const rows = await uncheckedRowsOf<{ object_key: string }>(
        handle,
        `select object_key from logged_bodies
         where generation_id = ? and expires_at > now() and organization_id = ?
           and workspace_id = coalesce(?, workspace_id)`,
        [generationId, scope.organizationId, scope.workspaceId ?? null],
      );
      return rows[0]?.object_key ?? null;
    },

    async forget(generationIds: readonly string[]): Promise<void> {
      await handle.raw('delete from logged_bodies where generation_id = any(?)', [[...generationIds]]);
    },
  };
}

export type LoggedBodyStore = ReturnType<typeof createLoggedBodyStore>;

/** Builds the methods that find bodies to delete. */
function expiredBodies(handle: Handle) {
  return {
    /** Returns the next expired bodies after a position. */
    async expired(limit: number, after: ExpiryPosition = BEFORE_ALL): Promise<ExpiredBody[]> {
      const rows = await uncheckedRowsOf<{ generation_id: string; object_key: string; expires_at: string }>(
        handle,
        `select generation_id, object_key, expires_at::text from logged_bodies
         where expires_at <= now() and (expires_at, generation_id) > (?::timestamptz, ?)
         order by expires_at, generation_id limit ?`,
        [after.expiresAt, after.generationId, limit],
      );
      return rows.map((row) => ({
        generationId: row.generation_id,
        objectKey: row.object_key,
        expiresAt: row.expires_at,
      }));
    },

    /** Returns the next bodies by generation. `endsSoon`: the body expires within the hour, or has expired. */
    async page(afterGenerationId: string, limit: number): Promise<LoggedObject[]> {
      const rows = await uncheckedRowsOf<{ generation_id: string; object_key: string; ends_soon: boolean }>(
        handle,
        `select generation_id, object_key, expires_at <= now() + interval '1 hour' ends_soon from logged_bodies
         where generation_id > ? order by generation_id limit ?`,
        [afterGenerationId, limit],
      );
      return rows.map((row) => ({
        generationId: row.generation_id,
        objectKey: row.object_key,
        endsSoon: row.ends_soon,
      }));
    },
  };
}
