import {
  type Client,
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { SearchAttributePair } from '@temporalio/common';
import type {
  DeliverBroadcastInput,
  DeliverWebhookInput,
  GenerateVideoInput,
  SyncDirectoryInput,
  ValidatePrivateEndpointInput,
} from '../../domain/runs.ts';

/** Left alone, the SDK repeats a call for twenty seconds while the server is away. */
const START_TIMEOUT_MS = 5_000;
/** Shorter: a customer's cancel or a provider's callback waits for such a signal. */
const SIGNAL_TIMEOUT_MS = 2_000;

export interface StartRequest {
  workflow: string;
  workflowId: string;
  taskQueue: string;
  input:
    | GenerateVideoInput
    | DeliverWebhookInput
    | ValidatePrivateEndpointInput
    | SyncDirectoryInput
    | DeliverBroadcastInput;
  /** Whose work it is: queues are served fairly among owners. */
  owner: string;
  summary: string;
  attributes: SearchAttributePair[];
  /** The server ends the run after this. Absent: never. */
  timeoutMs?: number;
}

/** Signals the run if there is one. */
export async function signalIfRunning(client: Client, workflowId: string, signal: string): Promise<void> {
  try {
    await client.withDeadline(Date.now() + SIGNAL_TIMEOUT_MS, () =>
      client.workflow.getHandle(workflowId).signal(signal),
    );
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

export interface Signal {
  name: string;
  args?: unknown[];
}

/** A dev server that lost its file has forgotten the attributes; the worker registers them again. */
async function withKnownAttributes(
  { attributes }: StartRequest,
  work: (attributes: SearchAttributePair[]) => Promise<void>,
): Promise<void> {
  try {
    await work(attributes);
  } catch (error) {
    if (!isUnknownAttribute(error)) throw error;
    await work([]);
  }
}

/** Starts a run. One that is there under its id already is a success. */
export function startRun(client: Client, request: StartRequest): Promise<void> {
  return withKnownAttributes(request, (attributes) => startOnce(client, request, attributes));
}

/** Signals the run, and starts it first if there is none. */
export function signalOrStartRun(client: Client, request: StartRequest, signal: Signal): Promise<void> {
  return withKnownAttributes(request, (attributes) => signalOrStart(client, request, attributes, signal));
}

async function startOnce(
  client: Client,
  request: StartRequest,
  attributes: SearchAttributePair[],
): Promise<void> {
  const options = { ...optionsOf(request, attributes), workflowIdConflictPolicy: 'FAIL' } as const;
  try {
    await client.withDeadline(Date.now() + START_TIMEOUT_MS, () =>
      client.workflow.start(request.workflow, options),
    );
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

async function signalOrStart(
  client: Client,
  request: StartRequest,
  attributes: SearchAttributePair[],
  { name, args = [] }: Signal,
): Promise<void> {
  const options = { ...optionsOf(request, attributes), signal: name, signalArgs: args };
  await client.withDeadline(Date.now() + START_TIMEOUT_MS, () =>
    client.workflow.signalWithStart(request.workflow, options),
  );
}

function optionsOf(request: StartRequest, typedSearchAttributes: SearchAttributePair[]) {
  return {
    workflowId: request.workflowId,
    taskQueue: request.taskQueue,
    args: [request.input],
    typedSearchAttributes,
    staticSummary: request.summary,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    ...(request.timeoutMs === undefined ? {} : { workflowExecutionTimeout: request.timeoutMs }),
    priority: { fairnessKey: request.owner },
  } as const;
}

/** The server's words, measured on 1.29: "no mapping defined for search attribute". gRPC INVALID_ARGUMENT is 3. */
function isUnknownAttribute(error: unknown): boolean {
  const cause: unknown = error instanceof ServiceError ? error.cause : error;
  if (typeof cause !== 'object' || cause === null) return false;
  const { code, details } = cause as { code?: unknown; details?: unknown };
  return code === 3 && typeof details === 'string' && details.includes('search attribute');
}
