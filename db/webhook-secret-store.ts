import type { Handle } from './connection.ts';
import { rowsOf } from './connection.ts';

export interface SealedSecret {
  id: string;
  sealedSecret: string;
}

export type NewSecret = SealedSecret & { workspaceId: string };

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
      const rows = await rowsOf<{ id: string; sealed_secret: string }>(
        handle,
        `select id, sealed_secret from webhook_secrets
         where workspace_id = ? and (retires_at is null or retires_at > now())
         order by retires_at desc nulls first`,
        [workspaceId],
      );
      return rows.map((row) => ({ id: row.id, sealedSecret: row.sealed_secret }));
    },
  };
}
