/** Reads models that expire soon and the workspaces that use them, and remembers how far workers have told them. */
import type { ExpiringModel } from '../../domain/catalog/expiring-model.ts';
import type { UtcDay } from '../../domain/utc-day.ts';
import type { Handle } from '../postgres/connection.ts';
import { firstRow } from '../postgres/results.ts';
import { type RowOf, selectList, text, texts, uuid } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';

const EXPIRING = { id: text, canonicalSlug: text, expirationDate: text };

const USING = {
  workspaceId: uuid,
  organizationId: uuid,
  /** The slugs of the models that the workspace used. */
  slugs: texts,
};
export type UsingWorkspace = RowOf<typeof USING>;

const POSITION = { afterWorkspaceId: uuid };

const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** Stores one scan of all workspaces, which all workers share. */
export function createExpiringModelStore(handle: Handle) {
  return {
    /** Returns the models whose last day is in this range, in order of id. */
    expiring: (first: UtcDay, last: UtcDay): Promise<ExpiringModel[]> =>
      rowsOf(
        handle,
        EXPIRING,
        `select ${selectList(EXPIRING, 'm', { expirationDate: `m.facts->>'expirationDate'` })} from models m
         where m.facts->>'expirationDate' between :first and :last order by m.id`,
        { first, last },
      ),

    /**
     * Begins a scan for these models if they are not those of the last scan. Otherwise begins one if none is running
     * and the last one began at least `everyMs` ago.
     */
    async begin(models: string, everyMs: number): Promise<void> {
      await run(
        handle,
        `update expiring_model_scan set began_at = now(), models = :models, after_workspace_id = :start
         where models <> :models
           or (after_workspace_id is null and began_at <= now() - :everyMs * interval '1 millisecond')`,
        { models, everyMs, start: NIL_UUID },
      );
    },

    /** Returns the last handled workspace of the running scan for these models; null if none is running. */
    async position(models: string): Promise<string | null> {
      const row = await firstRow(
        handle,
        POSITION,
        `select ${selectList(POSITION)} from expiring_model_scan
         where models = :models and after_workspace_id is not null`,
        { models },
      );
      return row?.afterWorkspaceId ?? null;
    },

    /** Advances the scan, unless another worker has done so. Null ends it. */
    async advance(models: string, from: string, to: string | null): Promise<void> {
      await run(
        handle,
        `update expiring_model_scan set after_workspace_id = :to
         where models = :models and after_workspace_id = :from`,
        { models, from, to },
      );
    },

    /**
     * Returns the next workspaces with a callback URL, in order of id, each with those of the models that it used since
     * the day. Reads the rollups of these workspaces by their primary key, and no generations.
     */
    page: (after: string, slugs: string[], since: UtcDay, size: number): Promise<UsingWorkspace[]> =>
      rowsOf(
        handle,
        USING,
        `select w.id "workspaceId", w.organization_id "organizationId", array(
           select distinct d.model from daily_usage d
           where d.workspace_id = w.id and d.bucket >= :since::date::timestamp at time zone 'UTC'
             and d.model = any(:slugs) order by d.model) slugs
         from workspaces w
         where w.deleted_at is null and w.default_callback_url is not null and w.id > :after
         order by w.id limit :size`,
        { after, slugs, since, size },
      ),
  };
}
