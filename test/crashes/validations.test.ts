import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { QUEUES, validationWorkflowId } from '../../domain/runs.ts';
import { addKey, addOrganization, type Place } from '../support/accounts.ts';
import { createCaller } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type ModelCall, type ModelServer, startModelServer } from '../support/model-server.ts';
import { addDraft } from '../support/own-resources.ts';
import { ENTITLED } from '../support/private-endpoints.ts';
import { runClosed } from '../support/runs.ts';
import { createWorkerProcesses, type WorkerProcesses } from '../support/worker-processes.ts';

/**
 * Workers that serve `provider-io`, killed by SIGKILL: the first one before and after the checks, and in the middle of
 * each call of an upstream; the second one before and after the end that is given to a run whose checks were broken
 * off.
 */
const DURING: Record<string, ModelCall> = {
  'during the first call': 'whole',
  'during the stream': 'stream',
  'during the call with parameters': 'parameters',
};
const POINTS = [
  'before the checks',
  'after the checks',
  'before the end',
  'after the end',
  ...Object.keys(DURING),
];

interface Run {
  endpointId: string;
  validationId: string;
  answer: Promise<Response>;
}

interface Row {
  state: string;
  failed: { name: string; reason: string } | undefined;
}

let gateway: Gateway;
let server: ModelServer;
let workers: WorkerProcesses;
/** The organizations whose runs there are: one may not have as many at a time. */
let owners: { place: Place; managementKey: string }[];
const runs = new Map<string, Run>();
const env = { WORKER_QUEUES: QUEUES['provider-io'] };

beforeAll(async () => {
  server = await startModelServer();
  gateway = await startGateway({ bootstrap: ENTITLED });
  workers = createWorkerProcesses(gateway);
  for (const [point, call] of Object.entries(DURING)) holdAt(point, call);
  owners = [{ place: gateway, managementKey: gateway.managementKey }, await addOwner()];
  await Promise.all(POINTS.map(begin));
  await dieInChecks();
  await dieAtEnds();
  await workers.start([], env);
});

afterAll(async () => {
  await Promise.all([...runs.values()].map(({ answer }) => answer));
  await workers.close();
  await gateway.close();
  await server.close();
});

/** The upstream keeps silent in this call for the model of this name. */
function holdAt(point: string, call: ModelCall): void {
  server.faults[call] = (response, received) => {
    return received.body['model'] === point ? undefined : server.behave(response, received);
  };
}

/** Adds an organization that may have private endpoints. */
async function addOwner(): Promise<(typeof owners)[number]> {
  const place = await addOrganization(gateway);
  const sql = 'update organizations set entitlements = $1 where id = $2';
  await gateway.database.query(sql, [ENTITLED.entitlements, place.organizationId]);
  const { token } = await addKey(gateway, { ...place, kind: 'management' });
  return { place, managementKey: token };
}

async function begin(point: string, index: number): Promise<void> {
  const { place, managementKey } = owners[index % owners.length]!;
  const endpointId = await addDraft(gateway, {
    organization_id: place.organizationId,
    base_url: server.baseUrl,
    upstream_model_id: point,
    declared_parameters: ['seed'],
  });
  const body = { workspace_id: place.workspaceId };
  const manager = createCaller(gateway.origin, managementKey);
  const answer = manager.call('POST', `/private-endpoints/${endpointId}/validate`, { body });
  const validationId = await eventually('the row of the validation', async () => {
    const { rows } = await gateway.database.query(
      'select id from private_endpoint_validations where endpoint_id = $1',
      [endpointId],
    );
    return rows[0]?.id as string | undefined;
  });
  runs.set(point, { endpointId, validationId, answer });
}

function workflowOf(point: string): string {
  const { endpointId, validationId } = runs.get(point)!;
  return validationWorkflowId(endpointId, validationId);
}

async function dieInChecks(): Promise<void> {
  const doomed = await workers.start(
    [
      { activity: 'checkPrivateEndpoint', at: 'before', workflowId: workflowOf('before the checks') },
      { activity: 'checkPrivateEndpoint', at: 'before', workflowId: workflowOf('before the end') },
      { activity: 'checkPrivateEndpoint', at: 'before', workflowId: workflowOf('after the end') },
      { activity: 'checkPrivateEndpoint', at: 'after', workflowId: workflowOf('after the checks') },
    ],
    env,
  );
  await doomed.reached();
  for (const [point, call] of Object.entries(DURING)) {
    await eventually(`the call ${point}`, async () => (callsOf(point).includes(call) ? true : undefined));
  }
  await doomed.kill();
}

async function dieAtEnds(): Promise<void> {
  const doomed = await workers.start(
    [
      { activity: 'endValidation', at: 'before', workflowId: workflowOf('before the end') },
      { activity: 'endValidation', at: 'after', workflowId: workflowOf('after the end') },
    ],
    env,
  );
  await doomed.reached();
  await doomed.kill();
}

function callsOf(point: string): ModelCall[] {
  return server.received.filter(({ body }) => body['model'] === point).map(({ call }) => call);
}

async function ended(point: string): Promise<Row> {
  expect(await runClosed(gateway, workflowOf(point))).toBe('COMPLETED');
  const { rows } = await gateway.database.query(
    'select state, checks, finished_at - created_at < $2 in_time from private_endpoint_validations where id = $1',
    [runs.get(point)!.validationId, '120 seconds'],
  );
  const [{ state, checks, in_time: inTime }] = rows;
  expect(inTime).toBe(true);
  return { state, failed: checks.find((check: { passed: boolean }) => !check.passed) };
}

describe('a validation whose worker is killed', () => {
  test.each(['before the checks', 'before the end', 'after the end'])(
    'fails with `interrupted` and without an upstream call when killed %s',
    async (point) => {
      expect(await ended(point)).toMatchObject({
        state: 'failed',
        failed: { name: 'base_url_allowed', reason: 'interrupted' },
      });
      expect(callsOf(point)).toEqual([]);
    },
  );

  test('keeps the result of finished checks', async () => {
    expect(await ended('after the checks')).toMatchObject({ state: 'passed', failed: undefined });
    expect(callsOf('after the checks')).toEqual(['whole', 'stream', 'parameters']);
  });

  test.each([
    ['during the first call', 'model_answers', ['whole']],
    ['during the stream', 'stream_ok', ['whole', 'stream']],
    ['during the call with parameters', 'parameters_ok', ['whole', 'stream', 'parameters']],
  ])('fails the interrupted check without repeating a call: %s', async (point, name, calls) => {
    expect(await ended(point)).toMatchObject({ state: 'failed', failed: { name, reason: 'interrupted' } });
    expect(callsOf(point)).toEqual(calls);
  });

  test('can be started again at once', async () => {
    const point = 'during the stream';
    await ended(point);
    server.faults = {};
    const { place, managementKey } = owners[POINTS.indexOf(point) % owners.length]!;
    const { endpointId } = runs.get(point)!;
    const again = await createCaller(gateway.origin, managementKey).call(
      'POST',
      `/private-endpoints/${endpointId}/validate`,
      { body: { workspace_id: place.workspaceId } },
    );
    expect([again.status, await again.json()]).toMatchObject([200, { data: { passed: true } }]);
  });
});
