/** Replaces the secret that signs a workspace's webhooks, and returns the new one to the caller once. */
import { createAuditStore } from '../../../db/accounts/audit-store.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import { createWebhookSecretStore } from '../../../db/webhooks/webhook-secret-store.ts';
import type { Actor } from '../../../domain/principal.ts';
import type { Encryption } from '../../../platform/encryption.ts';
import { doOnce, type OnceOptions, type OnceAnswer } from '../../answer-once.ts';
import { findWorkspace, lockWorkspace } from './find-workspace.ts';
import { newSealedSecret } from '../../webhooks/sealed-secret.ts';

export interface RotateDeps {
  knex: Handle;
  encryption: Pick<Encryption, 'seal' | 'open'>;
}

export interface RotatedSecret {
  /** The new `whsec_…`, which only this answer and its replay show. */
  secret: string;
  /** The time until which the previous secret signs too; null when there was none. */
  previousExpiresAt: Date | null;
}

/** The time in which receivers can switch to the new secret. */
const OVERLAP_MS = 24 * 3_600_000;
const OPERATION = 'rotateWebhookSecret';

/**
 * Gives a workspace a new signing secret. The previous one also signs for another day. Only the newest two sign, so a
 * second rotation within the day retires the oldest at once, which removes a leaked secret. Rotations of one
 * workspace run one after another. Throws 404 for an unknown workspace.
 */
export async function rotateSecret(
  { knex, encryption }: RotateDeps,
  actor: Actor,
  reference: string,
  once: OnceOptions<RotatedSecret>,
): Promise<OnceAnswer> {
  const { organizationId } = actor;
  const { id: workspaceId } = await findWorkspace(knex, organizationId, reference);
  const scope = { organizationId, workspaceId, operation: OPERATION };
  const make = async (transaction: Handle): Promise<RotatedSecret> => {
    // The lock makes rotations of a workspace run one after another.
    await lockWorkspace(transaction, organizationId, workspaceId);
    const { secret, ...sealed } = newSealedSecret(encryption);
    const secrets = createWebhookSecretStore(transaction);
    const previousExpiresAt = await secrets.rotate({ ...sealed, workspaceId }, OVERLAP_MS);
    const target = `workspaces/${workspaceId}`;
    await createAuditStore(transaction).insert(actor, { action: OPERATION, target });
    return { secret, previousExpiresAt };
  };
  return doOnce({ knex, encryption, scope, make }, once);
}
