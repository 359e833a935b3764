import {
  type Client,
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common';
import type { StartableJob } from '../../db/sweep-store.ts';
import { MAX_SYNC_MS } from '../../domain/directory/job.ts';
import { MAX_VALIDATION_MS } from '../../domain/endpoints/validation.ts';
import {
  broadcastWorkflowId,
  type DeliverBroadcastInput,
  type DeliverWebhookInput,
  directoryWorkflowId,
  type GenerateVideoInput,
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

export interface RunStarter {
  /** Starts the job's workflow under the job's id. A run that exists already is a success. */
  startVideo(job: StartableJob): Promise<void>;
  startWebhook(input: DeliverWebhookInput): Promise<void>;
  startValidation(input: ValidatePrivateEndpointInput): Promise<void>;
  /** Starts the run of a sync job. A run of the organization that goes on is a success: the sweep starts the job later. */
  startDirectorySync(input: SyncDirectoryInput): Promise<void>;
  /** Asks the job's run to stop. A run that is gone is not an error: the row holds the wish. */
  signalCancel(jobId: string): Promise<void>;
  /** Tells the job's run to ask the provider now. A run that is gone is not an error. */
  signalProviderCallback(jobId: string): Promise<void>;
  /** Tells a destination's run that its log has new rows, and starts the run if there is none. */
  nudgeBroadcast(input: DeliverBroadcastInput): Promise<void>;
  /** Ends the waiting of a destination's run, and starts the run if there is none. */
  wakeBroadcast(input: DeliverBroadcastInput): Promise<void>;
  /** Ends the waiting of a destination's run, if there is one: a deleted destination needs no new run. */
  interruptBroadcast(destinationId: string): Promise<void>;
  /** Whether Temporal has an open run under this id. */
  describe(workflowId: string): Promise<'running' | 'closed' | 'unknown'>;
}

export interface RunStarterOptions {
  client: Client;
}

/** Left alone, the SDK repeats a call for twenty seconds while the server is away. */
const START_PATIENCE_MS = 5_000;
/** Shorter: a customer's cancel or a provider's callback waits for such a signal. */
const SIGNAL_PATIENCE_MS = 2_000;

interface StartRequest {
  workflow: string;
  workflowId: string;
  taskQueue: string;
  input: GenerateVideoInput | DeliverWebhookInput | ValidatePrivateEndpointInput | SyncDirectoryInput;
  /** Whose work it is: queues are served fairly among owners. */
  owner: string;
  summary: string;
  attributes: SearchAttributePair[];
  /** The server ends the run after this. Absent: never. */
  timeoutMs?: number;
}

/**
 * Starts workflows by deterministic ids. Duplicates of closed runs are allowed: Postgres, not Temporal's
 * retention, keeps a thing from being done twice, and a lost run must be startable again.
 */
export function createRunStarter({ client }: RunStarterOptions): RunStarter {
  const start = async (request: StartRequest): Promise<void> => {
    try {
      await startOnce(client, request, request.attributes);
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return;
      // A dev server that lost its file has forgotten the attributes; the worker registers them again.
      if (!isUnknownAttribute(error)) throw error;
      await startOnce(client, request, []).catch((again: unknown) => {
        if (!(again instanceof WorkflowExecutionAlreadyStartedError)) throw again;
      });
    }
  };
  const signalBroadcast = async (input: DeliverBroadcastInput, signal: string): Promise<void> => {
    try {
      await signalWithStart(client, input, signal, broadcastAttributes(input));
    } catch (error) {
      if (!isUnknownAttribute(error)) throw error;
      await signalWithStart(client, input, signal, []);
    }
  };
  return {
    nudgeBroadcast: (input) => signalBroadcast(input, SIGNALS.nudge),
    wakeBroadcast: (input) => signalBroadcast(input, SIGNALS.changed),
    interruptBroadcast: (destinationId) =>
      signalIfRunning(client, broadcastWorkflowId(destinationId), SIGNALS.changed),
    startVideo: (job) =>
      start({
        workflow: WORKFLOWS.generateVideo,
        workflowId: videoWorkflowId(job.id),
        taskQueue: QUEUES.video,
        input: { jobId: job.id, workspaceId: job.workspaceId, model: job.model, provider: job.provider },
        owner: job.workspaceId,
        summary: `Video by ${job.model} on ${job.provider}`,
        attributes: [
          attribute('kind', 'video'),
          attribute('workspaceId', job.workspaceId),
          attribute('model', job.model),
          attribute('provider', job.provider),
          attribute('status', 'pending'),
        ],
      }),
    startWebhook: (input) =>
      start({
        workflow: WORKFLOWS.deliverWebhook,
        workflowId: webhookWorkflowId(input.deliveryId, input.replay),
        taskQueue: QUEUES.webhooks,
        input,
        owner: input.workspaceId,
        summary: `Webhook for ${input.jobId ?? `workspace ${input.workspaceId}`}`,
        // As the job's own run starts it (workflows/start-webhook-delivery.ts).
        attributes: [],
      }),
    startValidation: (input) =>
      start({
        workflow: WORKFLOWS.validatePrivateEndpoint,
        workflowId: validationWorkflowId(input.endpointId, input.validationId),
        taskQueue: QUEUES['provider-io'],
        input,
        owner: input.workspaceId,
        summary: `Validation of private endpoint ${input.endpointId}`,
        attributes: [
          attribute('kind', 'validation'),
          attribute('workspaceId', input.workspaceId),
          attribute('status', 'running'),
        ],
        timeoutMs: MAX_VALIDATION_MS,
      }),
    startDirectorySync: (input) =>
      start({
        workflow: WORKFLOWS.syncDirectory,
        workflowId: directoryWorkflowId(input.organizationId),
        taskQueue: QUEUES.directory,
        input,
        owner: input.organizationId,
        summary: `Directory sync of organization ${input.organizationId}`,
        attributes: [attribute('kind', 'directory'), attribute('status', 'running')],
        timeoutMs: MAX_SYNC_MS,
      }),
    signalCancel: (jobId) => signalIfRunning(client, videoWorkflowId(jobId), SIGNALS.cancel),
    signalProviderCallback: (jobId) =>
      signalIfRunning(client, videoWorkflowId(jobId), SIGNALS.providerCallback),
    async describe(workflowId) {
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

async function signalIfRunning(client: Client, workflowId: string, signal: string): Promise<void> {
  try {
    await client.withDeadline(Date.now() + SIGNAL_PATIENCE_MS, () =>
      client.workflow.getHandle(workflowId).signal(signal),
    );
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

async function startOnce(
  client: Client,
  request: StartRequest,
  typedSearchAttributes: SearchAttributePair[],
): Promise<void> {
  await client.withDeadline(Date.now() + START_PATIENCE_MS, () =>
    client.workflow.start(request.workflow, {
      workflowId: request.workflowId,
      taskQueue: request.taskQueue,
      args: [request.input],
      typedSearchAttributes,
      staticSummary: request.summary,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'FAIL',
      ...(request.timeoutMs === undefined ? {} : { workflowExecutionTimeout: request.timeoutMs }),
      priority: { fairnessKey: request.owner },
    }),
  );
}

async function signalWithStart(
  client: Client,
  input: DeliverBroadcastInput,
  signal: string,
  typedSearchAttributes: SearchAttributePair[],
): Promise<void> {
  await client.withDeadline(Date.now() + START_PATIENCE_MS, () =>
    client.workflow.signalWithStart(WORKFLOWS.deliverBroadcast, {
      workflowId: broadcastWorkflowId(input.destinationId),
      taskQueue: QUEUES.broadcast,
      args: [input],
      signal,
      typedSearchAttributes,
      staticSummary: `Generations of workspace ${input.workspaceId} to ${input.type}`,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      priority: { fairnessKey: input.workspaceId },
    }),
  );
}

function broadcastAttributes({ workspaceId, type }: DeliverBroadcastInput): SearchAttributePair[] {
  return [
    attribute('kind', 'broadcast'),
    attribute('workspaceId', workspaceId),
    attribute('provider', type),
    attribute('status', 'running'),
  ];
}

function attribute(name: keyof typeof SEARCH_ATTRIBUTES, value: string): SearchAttributePair {
  return { key: defineSearchAttributeKey(SEARCH_ATTRIBUTES[name], 'KEYWORD'), value };
}

/** The server's words, measured on 1.29: "no mapping defined for search attribute". gRPC INVALID_ARGUMENT is 3. */
function isUnknownAttribute(error: unknown): boolean {
  const cause: unknown = error instanceof ServiceError ? error.cause : error;
  if (typeof cause !== 'object' || cause === null) return false;
  const { code, details } = cause as { code?: unknown; details?: unknown };
  return code === 3 && typeof details === 'string' && details.includes('search attribute');
}
