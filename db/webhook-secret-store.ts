import type { Handle } from './connection.ts';
import { rowsOf } from './connection.ts';

export interface SealedSecret {
  id: string;
  sealedSecret: string;
}

/** Signing secrets of workspaces, sealed. The current one comes first; retiring ones still sign. */
export function createWebhookSecretStore(handle: Handle) {
  return {
    async insert(secret: SealedSecret & { workspaceId: string }): Promise<void> {
      await handle('webhook_secrets').insert({
        id: secret.id,
        workspace_id: secret.workspaceId,
        sealed_secret: secret.sealedSecret,
      });
    },

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

export type WebhookSecretStore = ReturnType<typeof createWebhookSecretStore>;
