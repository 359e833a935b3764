import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import {
  actOn,
  addValidation,
  dataOf,
  deleteEndpoint,
  ENTITLED,
  getEndpoint,
  listEndpoints,
  makeActiveEndpoint,
  makeEndpoint,
  patchEndpoint,
  putPricing,
  type WireEndpoint,
} from '../support/private-endpoints.ts';

let gateway: Gateway;
let manager: Caller;

beforeAll(async () => {
  gateway = await startGateway({ bootstrap: ENTITLED });
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(() => gateway.close());

async function conflictOf(response: Response): Promise<string> {
  const { code, metadata } = await errorOf(response);
  expect([code, metadata.retryable]).toEqual([409, false]);
  return metadata.reason;
}

const DECLARED = { declared_region: 'us', declared_zdr: true, declared_parameters: ['tools'] };
const SAME = { upstream_model_id: 'echo-tuned' };

describe('a draft of a private endpoint', () => {
  test('becomes active only with a passed validation of its present configuration', async () => {
    const { id } = await makeEndpoint(manager);
    expect(await conflictOf(await actOn(manager, id, 'activate'))).toBe('not_validated');
    await addValidation(gateway, id);
    expect((await getEndpoint(manager, id)).validation).toEqual({
      state: 'passed',
      passed: true,
      checks: [],
      created_at: expect.any(String),
      finished_at: expect.any(String),
      is_current: true,
    });
    expect(await dataOf(await actOn(manager, id, 'activate'))).toMatchObject({ id, status: 'active' });
    expect((await getEndpoint(manager, id)).status).toBe('active');
    expect(await conflictOf(await actOn(manager, id, 'activate'))).toBe('conflict');
  });

  test('becomes active once by two concurrent requests', async () => {
    const { id } = await makeEndpoint(manager);
    await addValidation(gateway, id);
    const answers = await Promise.all([1, 2].map(() => actOn(manager, id, 'activate')));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const rows = await auditRows(gateway, `private-endpoints/${id}`);
    expect(rows.filter(({ action }) => action === 'activatePrivateEndpoint')).toHaveLength(1);
  });

  test('refuses activation with validation_stale after a day', async () => {
    const { id } = await makeEndpoint(manager);
    await addValidation(gateway, id, { hoursAgo: 25 });
    expect(await conflictOf(await actOn(manager, id, 'activate'))).toBe('validation_stale');
    await addValidation(gateway, id, { hoursAgo: 23 });
    expect((await actOn(manager, id, 'activate')).status).toBe(200);
  });

  test('refuses activation if the latest validation failed after a passed one', async () => {
    const { id } = await makeEndpoint(manager);
    await addValidation(gateway, id, { hoursAgo: 1 });
    await addValidation(gateway, id, { state: 'failed' });
    expect(await conflictOf(await actOn(manager, id, 'activate'))).toBe('not_validated');
    expect((await getEndpoint(manager, id)).validation).toMatchObject({ state: 'failed', passed: false });
  });

  test('becomes active while another validation runs', async () => {
    const { id } = await makeEndpoint(manager);
    await addValidation(gateway, id, { hoursAgo: 1 });
    await addValidation(gateway, id, { state: 'running' });
    expect((await getEndpoint(manager, id)).validation).toMatchObject({
      state: 'running',
      passed: null,
      finished_at: null,
    });
    expect((await actOn(manager, id, 'activate')).status).toBe(200);
  });

  test.each<[string, object]>([
    ['model', { upstream_model_id: 'other' }],
    ['address', { ...SAME, base_url: 'https://other.example/v1' }],
    ['region', { ...SAME, declared_region: 'europe' }],
    ['ZDR', { ...SAME, declared_zdr: null }],
    ['list of parameters', { ...SAME, declared_parameters: [] }],
  ])('loses its validation with a new %s', async (_what, changes) => {
    const { id } = await makeEndpoint(manager, DECLARED);
    await addValidation(gateway, id);
    expect((await patchEndpoint(manager, id, changes)).status).toBe(200);
    expect((await getEndpoint(manager, id)).validation).toMatchObject({ is_current: false });
    expect(await conflictOf(await actOn(manager, id, 'activate'))).toBe('not_validated');
  });

  test('regains no validation when a change is reverted', async () => {
    const { id } = await makeEndpoint(manager);
    await addValidation(gateway, id);
    await dataOf(await patchEndpoint(manager, id, { upstream_model_id: 'other' }));
    await dataOf(await patchEndpoint(manager, id, SAME));
    expect((await getEndpoint(manager, id)).validation).toMatchObject({ is_current: false });
    expect(await conflictOf(await actOn(manager, id, 'activate'))).toBe('not_validated');
  });

  test.each<[string, object]>([
    ['the present values', { ...SAME, ...DECLARED, base_url: 'https://vllm.example/v1' }],
    ['only its model', SAME],
    ['its address in another spelling', { ...SAME, base_url: 'https://VLLM.example:443/v1/' }],
  ])('keeps declarations and validation when a PATCH changes nothing: %s', async (_what, changes) => {
    const made = await makeEndpoint(manager, DECLARED);
    await addValidation(gateway, made.id);
    const changed = await dataOf<WireEndpoint>(await patchEndpoint(manager, made.id, changes));
    expect(changed).toMatchObject(DECLARED);
    expect((await getEndpoint(manager, made.id)).validation).toMatchObject({ is_current: true });
    expect((await actOn(manager, made.id, 'activate')).status).toBe(200);
  });

  test('loses its declarations with a new upstream, or by null', async () => {
    const { id, validation: _none, ...made } = await makeEndpoint(manager, DECLARED);
    const cleared = { declared_region: null, declared_zdr: null, declared_parameters: null };
    const moved = await dataOf(await patchEndpoint(manager, id, { upstream_model_id: 'other' }));
    expect(moved).toEqual({ ...made, id, ...cleared, upstream_model_id: 'other' });
    const declared = { upstream_model_id: 'third', ...DECLARED };
    expect(await dataOf(await patchEndpoint(manager, id, declared))).toMatchObject(declared);
    const one = { upstream_model_id: 'third', declared_zdr: null };
    expect(await dataOf(await patchEndpoint(manager, id, one))).toMatchObject({ ...declared, ...one });
    const rows = await auditRows(gateway, `private-endpoints/${id}`);
    expect(rows.map(({ action }) => action).slice(1)).toEqual(Array(3).fill('updatePrivateEndpoint'));
  });

  test('answers 409 to enable and disable', async () => {
    const { id } = await makeEndpoint(manager);
    await addValidation(gateway, id);
    expect(await conflictOf(await actOn(manager, id, 'enable'))).toBe('conflict');
    expect(await conflictOf(await actOn(manager, id, 'disable'))).toBe('conflict');
    expect((await getEndpoint(manager, id)).status).toBe('draft');
  });
});

describe('an active private endpoint', () => {
  test('accepts repeated enables and disables, and audits only real changes', async () => {
    const { id } = await makeActiveEndpoint(gateway, manager);
    const steps = ['enable', 'disable', 'disable', 'enable', 'enable'] as const;
    const statuses: string[] = [];
    for (const step of steps) {
      statuses.push((await dataOf<WireEndpoint>(await actOn(manager, id, step))).status);
    }
    expect(statuses).toEqual(['active', 'disabled', 'disabled', 'active', 'active']);
    const rows = await auditRows(gateway, `private-endpoints/${id}`);
    expect(rows.map(({ action }) => action)).toEqual([
      'createPrivateEndpoint',
      'activatePrivateEndpoint',
      'disablePrivateEndpoint',
      'enablePrivateEndpoint',
    ]);
  });

  test('answers 409 to changes and activation, active or disabled', async () => {
    const { id, ...before } = await makeActiveEndpoint(gateway, manager);
    for (const status of ['active', 'disabled']) {
      expect(await conflictOf(await patchEndpoint(manager, id, { upstream_model_id: 'other' }))).toBe(
        'conflict',
      );
      expect(await conflictOf(await actOn(manager, id, 'activate'))).toBe('conflict');
      expect(await conflictOf(await deleteEndpoint(manager, id, '?draft_only=true'))).toBe('conflict');
      expect(await getEndpoint(manager, id)).toEqual({ ...before, id, status });
      await actOn(manager, id, 'disable');
    }
  });
});

describe('the prices of a private endpoint', () => {
  test('change as a whole in every state, and keep the validation', async () => {
    const { id, ...made } = await makeActiveEndpoint(gateway, manager);
    const all = { prompt: '0.0000020', completion: '3', cache_read: '0.10', cache_write: '0' };
    expect(await dataOf<WireEndpoint>(await putPricing(manager, id, all))).toMatchObject({ pricing: all });
    expect(await getEndpoint(manager, id)).toEqual({ ...made, id, pricing: all });
    await actOn(manager, id, 'disable');
    const some = { prompt: '0.0000020', completion: '4' };
    const { pricing } = await dataOf<WireEndpoint>(await putPricing(manager, id, some));
    expect(pricing).toEqual({ ...some, cache_read: '0.000001', cache_write: '0.0000020' });

    const draft = await makeEndpoint(manager);
    await addValidation(gateway, draft.id);
    expect((await putPricing(manager, draft.id, all)).status).toBe(200);
    expect((await actOn(manager, draft.id, 'activate')).status).toBe(200);
    const rows = await auditRows(gateway, `private-endpoints/${draft.id}`);
    expect(rows.map(({ action }) => action)).toContain('setPrivateEndpointPricing');
  });
});

describe('a deleted private endpoint', () => {
  test.each(['draft', 'active', 'disabled'])(
    'answers 404 to every operation, deleted as %s',
    async (status) => {
      const { id } =
        status === 'draft' ? await makeEndpoint(manager) : await makeActiveEndpoint(gateway, manager);
      if (status === 'disabled') await actOn(manager, id, 'disable');
      const query = status === 'draft' ? '?draft_only=true' : '?draft_only=false';
      expect(await dataOf(await deleteEndpoint(manager, id.toUpperCase(), query))).toEqual({ id });
      const answers = [
        await manager.call('GET', `/private-endpoints/${id}`),
        await patchEndpoint(manager, id, SAME),
        await putPricing(manager, id, { prompt: '1', completion: '1' }),
        await actOn(manager, id, 'activate'),
        await actOn(manager, id, 'enable'),
        await actOn(manager, id, 'disable'),
        await deleteEndpoint(manager, id),
      ];
      expect(answers.map((answer) => answer.status)).toEqual(Array(7).fill(404));
      expect((await listEndpoints(manager)).map((endpoint) => endpoint['id'])).not.toContain(id);
      const rows = await auditRows(gateway, `private-endpoints/${id}`);
      expect(rows.at(-1)).toMatchObject({ action: 'deletePrivateEndpoint' });
    },
  );
});
