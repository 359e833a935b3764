import type { temporal } from '@temporalio/proto';
import { eventually } from './eventually.ts';
import type { Gateway } from './gateway.ts';

/** Waits for the run's end; its status, such as `COMPLETED` or `TERMINATED`. */
export function runClosed(gateway: Gateway, workflowId: string): Promise<string> {
  return eventually(`the end of run ${workflowId}`, async () => {
    const status = await runStatus(gateway, workflowId);
    return status === undefined || status === 'RUNNING' ? undefined : status;
  });
}

/** Waits until there is such a run, whatever its state. */
export function runStarted(gateway: Gateway, workflowId: string): Promise<string> {
  return eventually(`run ${workflowId}`, () => runStatus(gateway, workflowId));
}

async function runStatus(gateway: Gateway, workflowId: string): Promise<string | undefined> {
  const described = await gateway.temporal.workflow
    .getHandle(workflowId)
    .describe()
    .catch(() => undefined);
  return described?.status.name;
}

/** What the UI shows of the activity that the run waits for. */
export async function pendingActivity(
  gateway: Gateway,
  workflowId: string,
): Promise<{ name: string; attempt: number; lastFailure: string } | undefined> {
  const handle = gateway.temporal.workflow.getHandle(workflowId);
  const described = await handle.describe().catch(() => undefined);
  const [pending] = described?.raw.pendingActivities ?? [];
  if (pending === undefined) return undefined;
  return {
    name: pending.activityType?.name ?? '',
    attempt: pending.attempt ?? 0,
    lastFailure: pending.lastFailure?.message ?? '',
  };
}

export type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

export async function historyOf(gateway: Gateway, workflowId: string): Promise<HistoryEvent[]> {
  const { events } = await gateway.temporal.workflow.getHandle(workflowId).fetchHistory();
  return events ?? [];
}

/** All of a history as text, its payloads decoded: events turn bytes into base64 when they are written as JSON. */
export function historyText(events: HistoryEvent[]): string {
  return textOfPayloads(events);
}

/** What the UI shows of a run beside its history: its details, memo, pending activities and their heartbeats. */
export async function shownText(gateway: Gateway, workflowId: string): Promise<string> {
  const handle = gateway.temporal.workflow.getHandle(workflowId);
  const { raw } = await handle.describe();
  const isOpen = raw.workflowExecutionInfo?.closeTime == null;
  return textOfPayloads([raw, isOpen ? await handle.query('__temporal_workflow_metadata') : null]);
}

function textOfPayloads(value: unknown): string {
  return JSON.stringify(value).replaceAll(/"data":"([^"]*)"/g, (_, data: string) =>
    Buffer.from(data, 'base64').toString('utf8'),
  );
}
