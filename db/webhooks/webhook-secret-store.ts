/** Stores the secrets that sign the webhooks of a workspace, and rotates them. */
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';

export interface SealedSecret {
  id: string;
  sealedSecret: string;
}

export type NewSecret = SealedSecret & { workspaceId: string };

/** Returns SQL for the signing secrets of the `workspace_id` of `table`, as JSON, the current one first. */
export function signingSecrets(table: string): string {
  return `(
    select coalesce(json_agg(json_build_object('id', w.id, 'sealedSecret', w.sealed_secret)
                             order by w.retires_at desc nulls first), '[]')
    from webhook_secrets w
    where w.workspace_id = ${table}.workspace_id and (w.retires_at is null or w.retires_at > now()))`;
}

/** Stores encrypted signing secrets of workspaces: a current one, and at most one that is retiring and still signs. */
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
     * Makes the secret the current one. The previous secret signs for `overlapMs` more; an older one that was retiring
     * is deleted. Returns the time at which the previous secret retires, null if there was none. The caller holds the
     * workspace's lock.
     */
    async rotate(secret: NewSecret, overlapMs: number): Promise<Date | null> {
      const { workspaceId } = secret;
      await handle('webhook_secrets')
        .where({ workspace_id: workspaceId })
        .whereNotNull('retires_at')
        .delete();
      const [previous] = await uncheckedRowsOf<{ retires_at: Date }>(
        handle,
        `update webhook_secrets set retires_at = now() + ? * interval '1 millisecond'
         where workspace_id = ? and retires_at is null
         returning retires_at`,
        [overlapMs, workspaceId],
      );
      await insert(secret);
      return previous?.retires_at ?? null;
    },

    /** Returns the signing secrets, the current one first. */
    async signing(workspaceId: string): Promise<SealedSecret[]> {
      const [row] = await uncheckedRowsOf<{ secrets: SealedSecret[] }>(
        handle,
        `select ${signingSecrets('owner')} secrets from (select ?::uuid workspace_id) owner`,
        [workspaceId],
      );
      return row?.secrets ?? [];
    },
  };
}
