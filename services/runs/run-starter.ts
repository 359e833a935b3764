import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common';
import type { StartableJob } from '../../db/videos/sweep-store.ts';
import { MAX_SYNC_MS } from '../../domain/directory/job.ts';
import { MAX_VALIDATION_MS } from '../../domain/endpoints/validation.ts';
import {
  broadcastWorkflowId,
  type DeliverBroadcastInput,
  type DeliverWebhookInput,
  directoryWorkflowId,
  QUEUES,
  SEARCH_ATTRIBUTES,
  SIGNALS,
  type SyncDirectoryInput,
  type ValidatePrivateEndpointInput,
  validationWorkflowId,
  videoWorkflowId,
  webhookWorkflowId,
  WORKFLOWS,
} from '../../domain/runs.ts';
import { type Signal, signalIfRunning, signalOrStartRun, startRun, type StartRequest } from './start-run.ts';

export interface RunStarterOptions {
  client: Client;
}

/** The input of a run, with the organization whose work it is. */
export type Owned<Input> = Input & { organizationId: string };

/**
 * Starts workflows under deterministic ids. The id of a closed run may be used again, so that a lost run can be started
 * again. Postgres, not Temporal's retention, prevents duplicate work.
 */
export function createRunStarter({ client }: RunStarterOptions) {
  const start = (request: StartRequest): Promise<void> => startRun(client, request);
  const signalWithStart = (request: StartRequest, signal: Signal): Promise<void> =>
    signalOrStartRun(client, request, signal);
  return {
    /** Signals a destination's run that its log has new rows. Starts the run if there is none. */
    nudgeBroadcast: (input: Owned<DeliverBroadcastInput>): Promise<void> =>
      signalWithStart(broadcastRequest(input), { name: SIGNALS.nudge }),
    /** Ends the wait of a destination's run. Starts the run if there is none. */
    wakeBroadcast: (input: Owned<DeliverBroadcastInput>): Promise<void> =>
      signalWithStart(broadcastRequest(input), { name: SIGNALS.changed }),
    /** Ends the wait of a destination's run, if there is one. A deleted destination needs no new run. */
    interruptBroadcast: (destinationId: string): Promise<void> =>
      signalIfRunning(client, broadcastWorkflowId(destinationId), SIGNALS.changed),
    /** Starts the job's workflow under the job's id. A run that exists already is a success. */
    startVideo: (job: StartableJob): Promise<void> => start(videoRequest(job)),
    startWebhook: (input: Owned<DeliverWebhookInput>): Promise<void> => start(webhookRequest(input)),
    startValidation: (input: Owned<ValidatePrivateEndpointInput>): Promise<void> =>
      start(validationRequest(input)),
    /**
     * Starts the run of a sync job. If the organization has a run already, that run continues with this job after its
     * current one.
     */
    // The organization's last run may have ended its job but not closed yet. A plain start would then fail, so signal
    // it.
    startDirectorySync: (input: SyncDirectoryInput): Promise<void> =>
      signalWithStart(syncRequest(input), { name: SIGNALS.nextJob, args: [input.jobId] }),
    /** Asks the job's run to stop. A run that has ended is not an error, because the row contains the request. */
    signalCancel: (jobId: string): Promise<void> =>
      signalIfRunning(client, videoWorkflowId(jobId), SIGNALS.cancel),
    /** Makes the job's run call the provider now. A run that has ended is not an error. */
    signalProviderCallback: (jobId: string): Promise<void> =>
      signalIfRunning(client, videoWorkflowId(jobId), SIGNALS.providerCallback),
    /** Returns whether Temporal has an open run under this id. */
    async describe(workflowId: string): Promise<'running' | 'closed' | 'unknown'> {
      try {
        const { status } = await client.workflow.getHandle(workflowId).describe();
        return status.name === 'RUNNING' ? 'running' : 'closed';
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return 'unknown';
        throw error;
      }
    },
  };
}

export type RunStarter = ReturnType<typeof createRunStarter>;

function videoRequest(job: StartableJob): StartRequest {
  return {
    workflow: WORKFLOWS.generateVideo,
    workflowId: videoWorkflowId(job.id),
    taskQueue: QUEUES.video,
    input: {
      jobId: job.id,
      organizationId: job.organizationId,
      workspaceId: job.workspaceId,
      model: job.model,
      provider: job.provider,
    },
    organizationId: job.organizationId,
    summary: `Video by ${job.model} on ${job.provider}`,
    attributes: [
      attribute('kind', 'video'),
      attribute('workspaceId', job.workspaceId),
      attribute('model', job.model),
      attribute('provider', job.provider),
      attribute('status', 'pending'),
    ],
  };
}

function webhookRequest({ organizationId, ...input }: Owned<DeliverWebhookInput>): StartRequest {
  return {
    workflow: WORKFLOWS.deliverWebhook,
    workflowId: webhookWorkflowId(input.deliveryId, input.replay),
    taskQueue: QUEUES.webhooks,
    input,
    organizationId,
    summary: `Webhook for ${input.jobId ?? `workspace ${input.workspaceId}`}`,
    // The job's own run starts this workflow in the same form (workflows/start-webhook-delivery.ts).
    attributes: [],
  };
}

function validationRequest({ organizationId, ...input }: Owned<ValidatePrivateEndpointInput>): StartRequest {
  return {
    workflow: WORKFLOWS.validatePrivateEndpoint,
    workflowId: validationWorkflowId(input.endpointId, input.validationId),
    taskQueue: QUEUES['provider-io'],
    input,
    organizationId,
    summary: `Validation of private endpoint ${input.endpointId}`,
    attributes: [
      attribute('kind', 'validation'),
      attribute('workspaceId', input.workspaceId),
      attribute('status', 'running'),
    ],
    timeoutMs: MAX_VALIDATION_MS,
  };
}

function broadcastRequest({ organizationId, ...input }: Owned<DeliverBroadcastInput>): StartRequest {
  const { destinationId, workspaceId, type } = input;
  return {
    workflow: WORKFLOWS.deliverBroadcast,
    workflowId: broadcastWorkflowId(destinationId),
    taskQueue: QUEUES.broadcast,
    input,
    organizationId,
    summary: `Generations of workspace ${workspaceId} to ${type}`,
    attributes: [
      attribute('kind', 'broadcast'),
      attribute('workspaceId', workspaceId),
      attribute('provider', type),
      attribute('status', 'running'),
    ],
  };
}

function syncRequest(input: SyncDirectoryInput): StartRequest {
  return {
    workflow: WORKFLOWS.syncDirectory,
    workflowId: directoryWorkflowId(input.organizationId),
    taskQueue: QUEUES.directory,
    input,
    organizationId: input.organizationId,
    summary: `Directory sync of organization ${input.organizationId}`,
    attributes: [attribute('kind', 'directory'), attribute('status', 'running')],
    timeoutMs: MAX_SYNC_MS,
  };
}

function attribute(name: keyof typeof SEARCH_ATTRIBUTES, value: string): SearchAttributePair {
  return { key: defineSearchAttributeKey(SEARCH_ATTRIBUTES[name], 'KEYWORD'), value };
}
