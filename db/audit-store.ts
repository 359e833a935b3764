import { newUuid } from '../domain/ids.ts';
import type { Actor } from '../domain/principal.ts';
import type { Handle } from './connection.ts';

export interface AuditEntry {
  /** The operation's id, as in the contract. */
  action: string;
  /** The path of what was changed, below the API's base, with its canonical id: `workspaces/<id>`. */
  target: string;
}

/** The audit log. Written by the transaction that makes the change, so that neither is there without the other. */
export function createAuditStore(handle: Handle) {
  return {
    async insert(actor: Actor, { action, target }: AuditEntry): Promise<void> {
      await handle('audit_log').insert({
        id: newUuid(),
        organization_id: actor.organizationId,
        key_hash: actor.keyHash ?? null,
        action,
        target,
        request_id: actor.requestId ?? null,
      });
    },
  };
}
