/**
 * Handles `POST /workspaces/{id}/webhook/test`: sends a test event to a callback URL of a workspace and returns the
 * result.
 */
import { operations } from '../../../contract/operations.ts';
import { presentTestEvent, presentWebhookTest } from './present-webhook-test.ts';
import { withoutUndefined } from '../../http/request/without-undefined.ts';
import { defineRoute } from '../../http/route.ts';

export const testWebhook = defineRoute(
  operations.testWebhook,
  async ({ principal, client, params, body }, { services }) => {
    const result = await services.workspaceWebhooks.tryCallback(principal.organizationId, params.id, {
      requestId: client.requestId,
      ...withoutUndefined({ url: body.url }),
      render: (workspaceId) => presentTestEvent(workspaceId, new Date()),
    });
    return { status: 200, body: { data: presentWebhookTest(result) } };
  },
);
