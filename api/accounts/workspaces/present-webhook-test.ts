/** Writes the webhook test event and the answer about its delivery. */
import type { WebhookTestRecord } from '../../../contract/accounts/workspace-webhooks.ts';
import { type TestWebhookEvent, testWebhookEvent } from '../../../contract/webhook-events.ts';
import type { TryResult } from '../../../services/accounts/workspaces/try-callback.ts';

/** Renders the body of a test event, validated by the contract. */
export function presentTestEvent(workspaceId: string, at: Date): string {
  const time = at.toISOString();
  const data = { workspace_id: workspaceId };
  const event: TestWebhookEvent = { type: 'webhook.test', timestamp: time, created_at: time, data };
  return JSON.stringify(testWebhookEvent.parse(event));
}

export function presentWebhookTest(result: TryResult): WebhookTestRecord {
  return {
    url: result.url,
    passed: result.outcome === 'delivered',
    status_code: result.statusCode,
    reason: result.reason,
    response_excerpt: result.responseExcerpt,
  };
}
