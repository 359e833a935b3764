import type { Handle } from '../connection.ts';
import { rowsOf } from '../connection.ts';

export interface SealedSecret {
  id: string;
  sealedSecret: string;
}

export type NewSecret = SealedSecret & { workspaceId: string };

/** The secrets that sign for the `workspace_id` of `table` now, as JSON, the current one first. */
export function signingSecrets(table: string): string {
  return `(
    select coalesce(json_agg(json_build_object('id', w.id, 'sealedSecret', w.sealed_secret)
                             order by w.retires_at desc nulls first), '[]')
    from webhook_secrets w
    where w.workspace_id = ${table}.workspace_id and (w.retires_at is null or w.retires_at > now()))`;
}

/** Signing secrets of workspaces, sealed: a current one and at most one that is retiring and still signs. */
export function createWebhookSecretStore(handle: Handle) {
  const insert = async (secret: NewSecret): Promise<void> => {
    await handle('webhook_secrets').insert({
      id: secret.id,
      workspace_id: secret.workspaceId,
      sealed_secret: secret.sealedSecret,
    });
  };
  return {
    insert,

    /**
     * Makes the secret the current one and lets the one before it sign for `overlapMs` more; whatever was
     * retiring already is deleted. Returns when the one before it retires, null when there was none. The
     * caller holds the workspace's lock.
     */
    async rotate(secret: NewSecret, overlapMs: number): Promise<Date | null> {
      const { workspaceId } = secret;
      await handle('webhook_secrets')
        .where({ workspace_id: workspaceId })
        .whereNotNull('retires_at')
        .delete();
      const [previous] = await rowsOf<{ retires_at: Date }>(
        handle,
        `update webhook_secrets set retires_at = now() + ? * interval '1 millisecond'
         where workspace_id = ? and retires_at is null
         returning retires_at`,
        [overlapMs, workspaceId],
      );
      await insert(secret);
      return previous?.retires_at ?? null;
    },

    /** The current one first. */
    async signing(workspaceId: string): Promise<SealedSecret[]> {
      const [row] = await rowsOf<{ secrets: SealedSecret[] }>(
        handle,
        `select ${signingSecrets('owner')} secrets from (select ?::uuid workspace_id) owner`,
        [workspaceId],
      );
      return row?.secrets ?? [];
    },
  };
}
