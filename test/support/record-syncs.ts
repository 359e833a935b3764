import { directoryWorkflowId } from '../../domain/runs.ts';
import { createCaller } from './caller.ts';
import { eventually } from './eventually.ts';
import type { Gateway } from './gateway.ts';
import { type ScimSource, sendJson, somePeople, startScimSource } from './scim-source.ts';
import { putSource, synced, syncEnded } from './syncs.ts';

/**
 * Records syncs: of what is pushed, of a source that is read, a dry run, one that its guard stops, one whose source
 * fails, and one that somebody cancels.
 */
export async function recordSyncs(
  gateway: Gateway,
  record: (name: string, workflowId: string) => Promise<void>,
): Promise<void> {
  const manager = createCaller(gateway.origin, gateway.managementKey);
  const workflowId = directoryWorkflowId(gateway.organizationId);
  const source = await startScimSource();
  source.people = somePeople(40);
  await synced(manager);
  await record('sync-pushed', workflowId);

  await putSource(manager, source);
  await gateway.database.query('update scim_sources set next_sync_at = null');
  await synced(manager);
  await record('sync-read', workflowId);
  await synced(manager, '?dry_run=true');
  await record('sync-dryRun', workflowId);

  source.people.splice(0, 20);
  await synced(manager);
  await record('sync-stopped', workflowId);

  source.fault = (_call, response) => (sendJson(response, 401, {}), true);
  await synced(manager);
  await record('sync-refused', workflowId);

  // It never answers.
  source.fault = () => true;
  source.calls.length = 0;
  await (await manager.call('POST', '/scim/sync-jobs')).text();
  await cancelInCall(gateway, source, workflowId);
  await syncEnded(manager);
  await record('sync-cancelledInUi', workflowId);
  await source.close();
}

async function cancelInCall(gateway: Gateway, source: ScimSource, workflowId: string): Promise<void> {
  await eventually('the call', async () => (source.calls.at(-1)?.path === '/Users' ? true : undefined));
  await gateway.temporal.workflow.getHandle(workflowId).cancel();
}
