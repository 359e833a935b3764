/** Handles `POST /interns`: registers an intern and makes its vault. */
import type { InternRecord } from '../../contract/interns/intern.ts';
import { operations } from '../../contract/operations.ts';
import { presentIntern } from './present-intern.ts';
import { withoutUndefined } from '../http/request/without-undefined.ts';
import { defineRoute } from '../http/route.ts';

export const createIntern = defineRoute(
  operations.createIntern,
  async ({ principal, client, body, idempotency }, { services }) => {
    const draft = withoutUndefined({
      name: body.name,
      description: body.description ?? null,
      instructions: body.instructions ?? null,
      attachedVaultId: body.vault_id ?? null,
      workspaceId: body.workspace_id,
    });
    const result = await services.interns.create({ principal, client }, draft, {
      ...(idempotency === undefined ? {} : { idempotency }),
      respond: presentIntern,
    });
    // `presentIntern` built this body now, or for the first request with the same idempotency key.
    const intern = result.body as InternRecord;
    if (result.status === 201) return { status: 201, body: intern };
    return {
      status: 200,
      ...(result.replayed ? { headers: { 'idempotent-replayed': 'true' } } : {}),
      body: intern,
    };
  },
);
