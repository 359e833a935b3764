import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { validationWorkflowId } from '../../domain/runs.ts';
import { createLogger } from '../../platform/logger.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { createFaultyActivities } from '../support/faulty-activities.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../support/gateway.ts';
import { type ModelServer, sendJson, startModelServer } from '../support/model-server.ts';
import { addCredential, addDraft } from '../support/own-resources.ts';
import { historyOf, historyText, runClosed, runStarted, shownText } from '../support/runs.ts';

/** Each would be a leak in what Temporal keeps and shows, or in a log. */
const SECRET = 'planted-credential-5310';
const WORDS = 'the upstream repeats basalt 8861';
const NEEDLES = [
  SECRET,
  WORDS,
  'Reply with the JSON object',
  'acme/tuned-7b',
  'http://',
  'https://',
  'Bearer',
];

const faults = createFaultyActivities();
const logged: string[] = [];

let gateway: Gateway;
let manager: Caller;
let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
  const destination = { write: (line: string) => void logged.push(line) };
  gateway = await startGateway({
    worker: ALL_QUEUES,
    bootstrap: { entitlements: ['private_endpoints'] },
    interceptors: faults.interceptors,
    logger: createLogger({ level: 'trace', name: 'test', destination }),
  });
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(async () => {
  await gateway.close();
  await server.close();
});

afterEach(() => {
  faults.heal();
  server.reset();
});

interface Validated {
  passed: boolean;
  failed: { name: string; reason: string } | undefined;
}

function post(endpointId: string): Promise<Response> {
  const body = { workspace_id: gateway.workspaceId };
  return manager.call('POST', `/private-endpoints/${endpointId}/validate`, { body });
}

async function validate(endpointId: string): Promise<Validated> {
  const response = await post(endpointId);
  expect(response.status).toBe(200);
  const { data } = (await response.json()) as {
    data: { passed: boolean; checks: { name: string; passed: boolean; reason: string }[] };
  };
  return { passed: data.passed, failed: data.checks.find(({ passed }) => !passed) };
}

async function workflowOf(endpointId: string): Promise<string> {
  const id = await eventually('the row of the validation', async () => {
    const { rows } = await gateway.database.query(
      'select id from private_endpoint_validations where endpoint_id = $1',
      [endpointId],
    );
    return rows[0]?.id as string | undefined;
  });
  return validationWorkflowId(endpointId, id);
}

describe('a failing activity of a validation', () => {
  test('ends the run without a call when it fails for good before the checks', async () => {
    faults.fail('checkPrivateEndpoint', 'for-good');
    const endpoint = await addDraft(gateway, { base_url: server.baseUrl });
    expect(await validate(endpoint)).toEqual({
      passed: false,
      failed: { name: 'base_url_allowed', passed: false, reason: 'not_validated' },
    });
    expect(server.received).toEqual([]);
  });

  test('keeps the result and repeats no call when its response is lost', async () => {
    faults.fail('checkPrivateEndpoint', 'after');
    const endpoint = await addDraft(gateway, { base_url: server.baseUrl });
    expect(await validate(endpoint)).toEqual({ passed: true, failed: undefined });
    await runClosed(gateway, await workflowOf(endpoint));
    expect(faults.attempts('checkPrivateEndpoint')).toBe(1);
    expect(server.received).toHaveLength(2);
  });

  test.each(['before', 'after'] as const)(
    'runs again when it fails %s the end of a broken run',
    async (moment) => {
      faults.fail('checkPrivateEndpoint', 'before');
      faults.fail('endValidation', moment);
      const endpoint = await addDraft(gateway, { base_url: server.baseUrl });
      expect(await validate(endpoint)).toMatchObject({ passed: false, failed: { reason: 'not_validated' } });
      expect(await runClosed(gateway, await workflowOf(endpoint))).toBe('COMPLETED');
      expect(faults.attempts('endValidation')).toBe(2);
    },
  );
});

test('a run that an operator cancels ends its row as interrupted', async () => {
  server.faults.whole = () => {};
  const endpoint = await addDraft(gateway, { base_url: server.baseUrl });
  const answer = validate(endpoint);
  await server.reached('whole');
  const workflowId = await workflowOf(endpoint);
  await runStarted(gateway, workflowId);
  await gateway.temporal.workflow.getHandle(workflowId).cancel();
  expect(await answer).toMatchObject({
    passed: false,
    failed: { name: 'model_answers', reason: 'interrupted' },
  });
  expect(await runClosed(gateway, workflowId)).toBe('CANCELLED');
});

test('a run shows its kind but no request, response or credential', async () => {
  await addCredential(gateway, SECRET, { base_url: server.baseUrl });
  server.faults.whole = (response, { headers, body }) =>
    sendJson(response, 400, {
      error: { message: `${WORDS}: ${headers.authorization} ${JSON.stringify(body)}` },
    });
  const endpoint = await addDraft(gateway, { base_url: server.baseUrl });
  const response = await post(endpoint);
  const answered = await response.text();
  expect(answered).toContain(WORDS);
  expect(answered).not.toContain(SECRET);
  const workflowId = await workflowOf(endpoint);
  await runClosed(gateway, workflowId);
  const { typedSearchAttributes } = await gateway.temporal.workflow.getHandle(workflowId).describe();
  expect(JSON.stringify(typedSearchAttributes)).toContain('validation');
  const text = historyText(await historyOf(gateway, workflowId)) + (await shownText(gateway, workflowId));
  expect(text).toContain(endpoint);
  expect(NEEDLES.filter((needle) => text.includes(needle))).toEqual([]);
  const { rows } = await gateway.database.query<{ text: string }>(
    'select v::text as text from private_endpoint_validations v',
  );
  expect(rows.filter(({ text: row }) => row.includes(SECRET))).toEqual([]);
  expect(logged.join('')).toContain('validatePrivateEndpoint');
  expect(logged.filter((line) => line.includes(SECRET) || line.includes(WORDS))).toEqual([]);
});
