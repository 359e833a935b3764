import {
  CancellationScope,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  sleep,
} from '@temporalio/workflow';
import type { WebhookActivities } from '../activities/webhook-activities.ts';
import type { DeliverWebhookInput } from '../domain/runs.ts';
import { DATABASE_OPTIONS, WEBHOOK_OPTIONS } from './activity-options.ts';

const { attemptWebhook } = proxyActivities<WebhookActivities>(WEBHOOK_OPTIONS);
const { giveUpWebhook } = proxyActivities<WebhookActivities>(DATABASE_OPTIONS);

/**
 * Delivers one webhook on the schedule of its input.
 *
 * A crash loses nothing: the outbox holds the event's id and exact bytes, so a repetition sends the same event again
 * and the receiver recognizes it by `webhook-id`. An attempt that died with its worker is repeated under the same
 * number. An outage on our side uses up no attempt. The sweep replaces a run that is lost altogether. When an operator
 * cancels the run, the delivery is left `stopped`, so that it can be replayed.
 */
export async function deliverWebhook(input: DeliverWebhookInput): Promise<{ outcome: string }> {
  try {
    const outcome = await attemptOnSchedule(input);
    if (outcome !== 'exhausted') return { outcome };
    await giveUpWebhook(input.deliveryId, 'exhausted', input.replay);
    return { outcome };
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(() => giveUpWebhook(input.deliveryId, 'stopped', input.replay));
    throw error;
  }
}

async function attemptOnSchedule(input: DeliverWebhookInput): Promise<'delivered' | 'stopped' | 'exhausted'> {
  const { seconds, jitter } = input.schedule;
  let askedToWaitMs = 0;
  for (const [index, wait] of seconds.entries()) {
    const waitMs = Math.max(wait * 1_000 * (1 + jitter * Math.random()), askedToWaitMs);
    if (waitMs > 0) await sleep(waitMs, { summary: `before attempt ${index + 1}` });
    const attempt = await attemptWebhook(input.deliveryId, input.replay, index + 1);
    if (attempt.kind !== 'failed') return attempt.kind;
    askedToWaitMs = attempt.retryAfterMs ?? 0;
    setCurrentDetails(
      `Attempt ${index + 1} of ${seconds.length} failed: ${attempt.word}. Waiting for the next one.`,
    );
  }
  return 'exhausted';
}
