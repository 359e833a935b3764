/**
 * Handles `POST /workspaces/{id}/webhook-secret/rotate`: makes a new webhook secret and returns it. The previous one
 * also signs for 24 hours.
 */
import { operations } from '../../../contract/operations.ts';
import type { RotatedWebhookSecret } from '../../../contract/accounts/workspace-webhooks.ts';
import { actorOf } from '../../../domain/principal.ts';
import { presentRotatedSecret } from './present-workspace.ts';
import { defineRoute } from '../../http/route.ts';

export const rotateWebhookSecret = defineRoute(
  operations.rotateWebhookSecret,
  async ({ principal, client, params, idempotency }, { services }) => {
    const result = await services.workspaceWebhooks.rotateSecret(actorOf(principal, client), params.id, {
      ...(idempotency === undefined ? {} : { idempotency }),
      respond: (rotated) => ({ status: 200, body: presentRotatedSecret(rotated) }),
    });
    return {
      status: 200,
      ...(result.replayed ? { headers: { 'idempotent-replayed': 'true' } } : {}),
      // `respond` built this body now, or for the first request with the same idempotency key.
      body: result.body as RotatedWebhookSecret,
    };
  },
);
