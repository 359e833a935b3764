/** Stores the secrets that sign the webhooks of a workspace, and rotates them. */
import type { Handle } from '../postgres/connection.ts';
import { json, timestamptz } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';

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
    await run(
      handle,
      `insert into webhook_secrets (id, workspace_id, sealed_secret) values (:id, :workspaceId, :sealedSecret)`,
      secret,
    );
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
      const ofWorkspace = 'workspace_id = :workspaceId and retires_at';
      await run(handle, `delete from webhook_secrets where ${ofWorkspace} is not null`, { workspaceId });
      const [previous] = await rowsOf(
        handle,
        { retiresAt: timestamptz },
        `update webhook_secrets set retires_at = now() + :overlapMs * interval '1 millisecond'
         where ${ofWorkspace} is null returning retires_at "retiresAt"`,
        { overlapMs, workspaceId },
      );
      await insert(secret);
      return previous?.retiresAt ?? null;
    },

    /** Returns the signing secrets, the current one first. */
    async signing(workspaceId: string): Promise<SealedSecret[]> {
      const [row] = await rowsOf(
        handle,
        { secrets: json<SealedSecret[]>() },
        `select ${signingSecrets('owner')} secrets from (select :workspaceId::uuid workspace_id) owner`,
        { workspaceId },
      );
      return row?.secrets ?? [];
    },
  };
}
