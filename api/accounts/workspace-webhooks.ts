/** Rotates the webhook secret of a workspace, tries its callback URL, and replays its deliveries. */
import type {
  RotatedWebhookSecret,
  WebhookReplayBody,
  WebhookTestRecord,
  workspaceWebhookOperations,
} from '../../contract/accounts/workspace-webhooks.ts';
import { toMoment } from '../../contract/moment.ts';
import { type TestWebhookEvent, testWebhookEvent } from '../../contract/webhook-events.ts';
import { withoutUndefined } from '../../domain/fields.ts';
import { actorOf } from '../../domain/principal.ts';
import type {
  RotatedSecret,
  TryResult,
  WorkspaceWebhooks,
} from '../../services/accounts/workspaces/workspace-webhooks.ts';
import type { ReplayedDeliveries } from '../../services/webhooks/replay-deliveries.ts';
import { answerIdempotently } from '../http/answer-idempotently.ts';
import type { RoutesOf } from '../http/route.ts';

export const workspaceWebhookRoutes: RoutesOf<
  typeof workspaceWebhookOperations,
  { workspaceWebhooks: WorkspaceWebhooks }
> = {
  /**
   * Handles `POST /workspaces/{id}/webhook-secret/rotate`: makes a new webhook secret and returns it. The previous one
   * also signs for 24 hours.
   */
  rotateWebhookSecret: (call, { services }) =>
    answerIdempotently(
      call,
      (rotated: RotatedSecret) => ({ status: 200, body: presentRotatedSecret(rotated) }),
      (once) => services.workspaceWebhooks.rotateSecret(actorOf(call), call.params.id, once),
    ),

  /**
   * Handles `POST /workspaces/{id}/webhook/test`: sends a test event to a callback URL of a workspace and returns the
   * result.
   */
  testWebhook: async ({ principal, client, params, body }, { services }) => {
    const result = await services.workspaceWebhooks.tryCallback(principal.organizationId, params.id, {
      requestId: client.requestId,
      ...withoutUndefined({ url: body.url }),
      render: (workspaceId) => presentTestEvent(workspaceId, new Date()),
    });
    return { status: 200, body: { data: presentWebhookTest(result) } };
  },

  /** Handles `POST /workspaces/{id}/webhook/replay`: sends the deliveries of a workspace since a moment again. */
  replayWebhooks: (call, { services }) =>
    answerIdempotently(
      call,
      (replayed: ReplayedDeliveries) => ({ status: 202, body: presentReplay(replayed) }),
      (once) => {
        const { since, until, status = 'failed' } = call.body;
        const range = {
          since: toMoment(since),
          until: until === undefined ? null : toMoment(until),
          isDeliveredToo: status === 'ended',
        };
        return services.workspaceWebhooks.replay(actorOf(call), call.params.id, range, once);
      },
    ),
};

/** Renders the body of a test event, validated by the contract. */
function presentTestEvent(workspaceId: string, at: Date): string {
  const time = at.toISOString();
  const data = { workspace_id: workspaceId };
  const event: TestWebhookEvent = { type: 'webhook.test', timestamp: time, created_at: time, data };
  return JSON.stringify(testWebhookEvent.parse(event));
}

function presentWebhookTest(result: TryResult): WebhookTestRecord {
  return {
    url: result.url,
    passed: result.outcome === 'delivered',
    status_code: result.statusCode,
    reason: result.reason,
    response_excerpt: result.responseExcerpt,
  };
}

function presentRotatedSecret({ secret, previousExpiresAt }: RotatedSecret): RotatedWebhookSecret {
  return { data: { secret, previous_secret_expires_at: previousExpiresAt?.toISOString() ?? null } };
}

function presentReplay({ count, nextSince }: ReplayedDeliveries): WebhookReplayBody {
  return { data: { count, next_since: nextSince?.toISOString() ?? null } };
}
