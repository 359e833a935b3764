import { mkdir, writeFile } from 'node:fs/promises';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { createDatabase } from './open-database.ts';
import { newUuid } from '../../domain/ids.ts';
import {
  broadcastWorkflowId,
  type KeepSweepingInput,
  QUEUES,
  validationWorkflowId,
  WORKFLOWS,
} from '../../domain/runs.ts';
import type { FaultInput } from '../../upstream/faults.ts';
import { createRunStarter } from '../../services/runs/run-starter.ts';
import { startDelivery } from '../../services/webhooks/start-delivery.ts';
import { addVideoModel } from './catalog.ts';
import { createCaller } from './caller.ts';
import { getDestination, makeDestination, updateDestination } from './destinations.ts';
import { eventually } from './eventually.ts';
import { commitEvent } from './events.ts';
import { ALL_QUEUES, startGateway } from './gateway.ts';
import { deliveryEnded, deliveryOf } from './job-facts.ts';
import { ended, inStatus, submit } from './jobs.ts';
import { startModelServer } from './model-server.ts';
import { addDraft } from './own-resources.ts';
import { recordSyncs } from './record-syncs.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { runClosed } from './runs.ts';

/**
 * Records real histories into test/histories/, which test/worker/replay.test.ts replays. Run it BEFORE a
 * change of a workflow, under a folder name that says what was recorded (`v1` and so on); the older folders
 * stay for as long as runs of that age may be alive:
 *
 *   SLUICE_TEST_POSTGRES_URL=postgres://… SLUICE_TEST_TEMPORAL_ADDRESS=127.0.0.1:7233 \
 *     node test/support/record-histories.ts v1
 *
 * Nothing that replay needs is left out; host names and stack traces are.
 */
const [version = 'v1'] = process.argv.slice(2);
const folder = new URL(`../histories/${version}/`, import.meta.url);

const receivers: Receiver[] = [];
const gateway = await startGateway({
  worker: ALL_QUEUES,
  env: { AUDIT_RETENTION: '1d' },
  bootstrap: { entitlements: ['private_endpoints'] },
});
await mkdir(folder, { recursive: true });
await addVideoModel(gateway, 'test/short', [{ provider: 'local', maxRunSeconds: 5 }]);
await recordVideos();
await recordWebhooks();
await recordEvent();
await recordRankings();
await recordRetention();
await recordSweeps();
await recordBroadcast();
await recordValidations();
await recordSyncs(gateway, record);
await gateway.close();
for (const receiver of receivers) await receiver.close();

async function receive(...answers: Receiver['answers']): Promise<string> {
  const receiver = await startReceiver(...answers);
  receivers.push(receiver);
  return receiver.url;
}

async function start(faults: FaultInput[], url?: string, model = 'local/clip-canned'): Promise<string> {
  const callback = url === undefined ? {} : { callback_url: url };
  const { id } = await submit(gateway, { model, provider: { options: { local: { faults } } }, ...callback });
  return id;
}

async function recordVideos(): Promise<void> {
  const slow: FaultInput = { kind: 'slow', ms: 2_500 };
  const completed = await start([slow], await receive());
  const calledBack = await start([{ kind: 'status', on: 'retrieve', status: 429, retryAfter: '600' }]);
  const cancelled = await start([{ kind: 'stall' }], await receive());
  const terminated = await start([{ kind: 'stall' }]);
  const expired = await start([{ kind: 'stall' }], await receive(), 'test/short');
  const refused = await start([{ kind: 'status', on: 'create', status: 400 }], await receive());
  for (const id of [calledBack, cancelled, terminated]) await inStatus(gateway, id, 'in_progress');
  await checked(calledBack);
  await gateway.temporal.workflow.getHandle(calledBack).signal('providerCallback');
  await gateway.call('POST', `/videos/${cancelled}/cancel`);
  await gateway.temporal.workflow.getHandle(terminated).cancel();
  const names = { completed, calledBack, cancelled, cancelledInUi: terminated, expired, refused };
  for (const [name, id] of Object.entries(names)) {
    await ended(gateway, id);
    await record(`video-${name}`, id);
  }
}

async function recordWebhooks(): Promise<void> {
  const failing = { status: 500 };
  const retried = await start([], await receive(failing, failing, { status: 204 }));
  const exhausted = await start([], await receive(failing));
  for (const [name, id] of Object.entries({ retried, exhausted })) {
    const delivery = await deliveryEnded(gateway, id);
    await record(`webhook-${name}`, `webhook-${delivery.id}`);
  }
  const waiting = await start([], await receive({ status: 503, headers: { 'retry-after': '3600' } }));
  const delivery = await eventually('the first attempt', async () => {
    const seen = await deliveryOf(gateway, waiting).catch(() => undefined);
    return seen?.attempts[0]?.includes('503') ? seen : undefined;
  });
  await gateway.temporal.workflow.getHandle(`webhook-${delivery.id}`).cancel();
  await record('webhook-cancelledInUi', `webhook-${delivery.id}`);
}

/** An event about no job, whose workflow is started by whoever wrote it. */
async function recordEvent(): Promise<void> {
  const { knex, close } = createDatabase({ url: gateway.config.database.url, poolMax: 1 });
  const receiver = await receive({ status: 500 }, { status: 204 });
  await gateway.database.query('update workspaces set default_callback_url = $1', [receiver]);
  const delivery = (await commitEvent(gateway, knex))!;
  const runs = createRunStarter({ client: gateway.temporal });
  await startDelivery({ knex, runs, schedule: { seconds: [0, 1], jitter: 0 } }, delivery);
  await record('webhook-without-job', `webhook-${delivery.id}`);
  await close();
}

/** Two days that were missed. */
async function recordRankings(): Promise<void> {
  await gateway.database.query(`select ensure_ledger_partition(now() - interval '2 days')`);
  const workflowId = 'close-rankings';
  const options = { workflowId, taskQueue: QUEUES.maintenance };
  await gateway.temporal.workflow.execute(WORKFLOWS.closeRankings, options);
  await record('rankings-closed', workflowId);
}

/** A run that deletes one audit entry. */
async function recordRetention(): Promise<void> {
  await gateway.database.query(
    `insert into audit_log (id, organization_id, action, target, created_at)
     values ($1, $2, 'updateKey', 'keys/x', now() - interval '2 days')`,
    [newUuid(), gateway.organizationId],
  );
  const workflowId = 'apply-retention';
  const options = { workflowId, taskQueue: QUEUES.maintenance };
  await gateway.temporal.workflow.execute(WORKFLOWS.applyRetention, options);
  await record('retention-applied', workflowId);
}

async function recordSweeps(): Promise<void> {
  const input: KeepSweepingInput = { forMs: 1_000 };
  const repeated = { workflowId: 'keep-sweeping', taskQueue: QUEUES.maintenance, args: [input] };
  await gateway.temporal.workflow.execute(WORKFLOWS.keepSweeping, repeated);
  await record('keep-sweeping-completed', repeated.workflowId);
}

/** A destination whose tool fails once, is tried again because somebody edits it, and then has nothing to do. */
async function recordBroadcast(): Promise<void> {
  const manager = createCaller(gateway.origin, gateway.managementKey);
  const { id } = await makeDestination(manager, {
    config: { url: await receive({ status: 503 }, { status: 200 }) },
  });
  const body = { model: 'local/echo-1', messages: [{ role: 'user', content: 'Hello' }] };
  await (await gateway.call('POST', '/api/v1/chat/completions', { body })).text();
  await eventually('a failed attempt', async () =>
    (await getDestination(manager, id)).delivery['state'] === 'backing_off' ? true : undefined,
  );
  await updateDestination(manager, id, { name: 'Repaired' });
  await record('broadcast-recovered', broadcastWorkflowId(id));
}

/** A private endpoint that passes, one whose upstream refuses, and a run that somebody cancels. */
async function recordValidations(): Promise<void> {
  const server = await startModelServer();
  const manager = createCaller(gateway.origin, gateway.managementKey);
  const endpoints = { passed: '', refused: '', cancelled: '' };
  server.faults.whole = (response, received) => {
    if (received.body['model'] === 'cancelled') return;
    if (received.body['model'] === 'refused') response.writeHead(401).end();
    else return server.behave(response, received);
  };
  for (const name of ['passed', 'refused', 'cancelled'] as const) {
    endpoints[name] = await addDraft(gateway, {
      base_url: server.baseUrl,
      upstream_model_id: name,
    });
  }
  const ends = Object.entries(endpoints).map(async ([name, endpointId]) => {
    const body = { workspace_id: gateway.workspaceId };
    const answer = manager.call('POST', `/private-endpoints/${endpointId}/validate`, { body });
    const validationId = await eventually('the run', async () => {
      const sql = 'select id from private_endpoint_validations where endpoint_id = $1';
      const { rows } = await gateway.database.query<{ id: string }>(sql, [endpointId]);
      return rows[0]?.id;
    });
    const workflowId = validationWorkflowId(endpointId, validationId);
    if (name === 'cancelled') {
      await eventually('the call', async () =>
        server.received.some(({ body: asked }) => asked['model'] === name) ? true : undefined,
      );
      await gateway.temporal.workflow.getHandle(workflowId).cancel();
    }
    await (await answer).text();
    await record(`validation-${name}`, workflowId);
  });
  await Promise.all(ends);
  await server.close();
}

function checked(id: string): Promise<true> {
  return eventually('a check', async () => {
    const { rows } = await gateway.database.query('select checks from video_jobs where id = $1', [id]);
    return rows[0].checks > 0 ? true : undefined;
  });
}

async function record(name: string, workflowId: string): Promise<void> {
  await runClosed(gateway, workflowId);
  const history = await gateway.temporal.workflow.getHandle(workflowId).fetchHistory();
  const text = JSON.stringify(JSON.parse(historyToJSON(history), withoutHost));
  const fileName = `${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.json`;
  await writeFile(new URL(fileName, folder), `${text}\n`);
}

function withoutHost(key: string, value: unknown): unknown {
  if (key === 'identity') return 'worker';
  // Sticky queues are named for the process.
  if (key === 'name' && typeof value === 'string' && value.includes('@')) return 'sticky';
  if (key === 'stackTrace') return '';
  return value;
}
