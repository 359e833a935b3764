/** Starts and signals Temporal workflows, with short deadlines for the calls. */
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

/**
 * The deadline of a call that starts a run. Without it the SDK retries a call for twenty seconds while the server
 * cannot be reached.
 */
const START_TIMEOUT_MS = 5_000;
/** The deadline of a signal. It is shorter because a customer's cancellation or a provider's callback waits for it. */
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
  /** The organization whose work it is. The server shares its queues between organizations (ADR 0075). */
  organizationId: string;
  summary: string;
  attributes: SearchAttributePair[];
  /** The time after which the server ends the run. When absent, it never does. */
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

/** Starts a run. A run that exists already under its id is a success. */
export async function startRun(client: Client, request: StartRequest): Promise<void> {
  try {
    await withKnownAttributes(client, request, (options) =>
      client.workflow.start(request.workflow, { ...options, workflowIdConflictPolicy: 'FAIL' }),
    );
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** Signals the run, and starts it first if there is none. */
export function signalOrStartRun(
  client: Client,
  request: StartRequest,
  { name, args = [] }: Signal,
): Promise<void> {
  return withKnownAttributes(client, request, (options) =>
    client.workflow.signalWithStart(request.workflow, { ...options, signal: name, signalArgs: args }),
  );
}

/**
 * Repeats the call without search attributes if the server does not know them. A dev server that lost its file has none
 * until the worker registers them again.
 */
async function withKnownAttributes(
  client: Client,
  request: StartRequest,
  call: (options: ReturnType<typeof optionsOf>) => Promise<unknown>,
): Promise<void> {
  const callWith = (attributes: SearchAttributePair[]): Promise<unknown> =>
    client.withDeadline(Date.now() + START_TIMEOUT_MS, () => call(optionsOf(request, attributes)));
  try {
    await callWith(request.attributes);
  } catch (error) {
    if (!isUnknownAttribute(error)) throw error;
    await callWith([]);
  }
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
    priority: { fairnessKey: request.organizationId },
  } as const;
}

/**
 * Returns whether the error means that the server does not know a search attribute. The server's message, measured on
 * 1.29, is "no mapping defined for search attribute"; gRPC INVALID_ARGUMENT is 3.
 */
function isUnknownAttribute(error: unknown): boolean {
  const cause: unknown = error instanceof ServiceError ? error.cause : error;
  if (typeof cause !== 'object' || cause === null) return false;
  const { code, details } = cause as { code?: unknown; details?: unknown };
  return code === 3 && typeof details === 'string' && details.includes('search attribute');
}
