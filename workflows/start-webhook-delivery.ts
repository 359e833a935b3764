import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ParentClosePolicy, startChild } from '@temporalio/workflow';
import type { PendingDelivery } from '../activities/video-activities.ts';
import { type GenerateVideoInput, QUEUES, webhookWorkflowId } from '../domain/runs.ts';
import { deliverWebhook } from './deliver-webhook.ts';

/**
 * Starts a separate workflow for the outbox row. It outlives this run, so a slow receiver never delays a job. If the
 * sweep has started it already, nothing is left to do. The workflow has no search attributes, because they cost about a
 * tenth of a job's processor time. Operators find it by its id, by its type, or from the job's run.
 */
export async function startWebhookDelivery(
  input: GenerateVideoInput,
  delivery: PendingDelivery,
): Promise<void> {
  const { jobId, organizationId, workspaceId } = input;
  const { deliveryId, schedule } = delivery;
  try {
    await startChild(deliverWebhook, {
      workflowId: webhookWorkflowId(deliveryId, 0),
      taskQueue: QUEUES.webhooks,
      args: [{ deliveryId, workspaceId, jobId, replay: 0, schedule }],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      staticSummary: `Webhook for ${jobId}`,
      priority: { fairnessKey: organizationId },
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
