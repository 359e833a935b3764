/** Implements the workflows of the reference with which video jobs are compared. */
import { ParentClosePolicy, proxyActivities, startChild, workflowInfo } from '@temporalio/workflow';
import type { ReferenceActivities } from './reference-activities.ts';

const options = { startToCloseTimeout: '1 minute' } as const;
const { submit, check, store, settle, deliver } = proxyActivities<ReferenceActivities>(options);

/** The smallest workflow with the product's number of activities and its child workflow, without further rules. */
export async function referenceVideo(jobId: string): Promise<void> {
  const upstreamId = await submit(jobId);
  await check(jobId, upstreamId);
  await store(jobId, upstreamId);
  await settle(jobId);
  await startChild(referenceWebhook, {
    workflowId: `${workflowInfo().workflowId}-webhook`,
    args: [jobId],
    taskQueue: 'reference-webhooks',
    parentClosePolicy: ParentClosePolicy.ABANDON,
  });
}

export async function referenceWebhook(jobId: string): Promise<void> {
  await deliver(jobId);
}
