import { defineSearchAttributeKey, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ParentClosePolicy, startChild } from '@temporalio/workflow';
import type { PendingDelivery } from '../activities/video-activities.ts';
import { type GenerateVideoInput, QUEUES, SEARCH_ATTRIBUTES, webhookWorkflowId } from '../domain/runs.ts';
import { deliverWebhook } from './deliver-webhook.ts';
import { hasSearchAttributes } from './search-attributes.ts';

const KIND = defineSearchAttributeKey(SEARCH_ATTRIBUTES.kind, 'KEYWORD');
const WORKSPACE = defineSearchAttributeKey(SEARCH_ATTRIBUTES.workspaceId, 'KEYWORD');

/**
 * Hands the outbox row to a workflow of its own, which outlives this one: a slow receiver never holds a job.
 * If the sweep was quicker, that is as good.
 */
export async function startWebhookDelivery(
  input: GenerateVideoInput,
  delivery: PendingDelivery,
): Promise<void> {
  const { jobId, workspaceId } = input;
  const { deliveryId, schedule } = delivery;
  try {
    await startChild(deliverWebhook, {
      workflowId: webhookWorkflowId(deliveryId, 0),
      taskQueue: QUEUES.webhooks,
      args: [{ deliveryId, workspaceId, jobId, replay: 0, schedule }],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      staticSummary: `Webhook for ${jobId}`,
      priority: { fairnessKey: workspaceId },
      ...(hasSearchAttributes()
        ? {
            typedSearchAttributes: [
              { key: KIND, value: 'webhook' },
              { key: WORKSPACE, value: workspaceId },
            ],
          }
        : {}),
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
