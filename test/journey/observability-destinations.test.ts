import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey, addOrganization, addWorkspace, type Place } from '../support/accounts.ts';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller, errorOf, visibleParts } from '../support/caller.ts';
import {
  deleteDestination,
  draftOf,
  getDestination,
  listDestinations,
  makeDestination,
  patchDestination,
  postDestination,
  updateDestination,
} from '../support/destinations.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
let manager: Caller;
let foreigner: Caller;
let foreign: Place;

beforeAll(async () => {
  gateway = await startGateway();
  manager = createCaller(gateway.origin, gateway.managementKey);
  foreign = await addOrganization(gateway);
  const { token } = await addKey(gateway, { ...foreign, kind: 'management' });
  foreigner = createCaller(gateway.origin, token);
});

afterAll(() => gateway.close());

/** A workspace without destinations, and an empty draft for it. */
async function freshPlace(): Promise<{ workspace_id: string }> {
  return { workspace_id: (await addWorkspace(gateway)).workspaceId };
}

async function issuesOf(response: Response): Promise<string[]> {
  const { code, metadata } = await errorOf(response);
  expect(code).toBe(400);
  return metadata.issues!.map(({ path, message }) => `${path} ${message}`);
}

const UNKNOWN = '4d1f6c55-0a7e-4a5c-9d6e-0a8f5f3f7b21';

describe('the list of destinations', () => {
  test('shows those of the workspace, the oldest first, page by page', async () => {
    const place = await freshPlace();
    const ids: string[] = [];
    for (const name of ['b', 'a', 'c']) ids.push((await makeDestination(manager, { ...place, name })).id);
    const page = async (query: string) =>
      listDestinations(manager, `?workspace_id=${place.workspace_id}${query}`);
    expect((await page('')).data.map(({ id }) => id)).toEqual(ids);
    const second = await page('&limit=1&offset=1');
    expect([second.data.map(({ id }) => id), second.total_count]).toEqual([[ids[1]], 3]);
    const ofDefault = await listDestinations(manager);
    expect(ofDefault.data.every((one) => one.workspace_id === gateway.workspaceId)).toBe(true);
    expect(await listDestinations(foreigner)).toEqual({ data: [], total_count: 0 });
  });

  test.each(['limit=0', 'limit=101', 'offset=-1', 'workspace_id=default'])(
    'answers 400 to %s',
    async (query) => {
      const response = await manager.call('GET', `/observability/destinations?${query}`);
      expect((await errorOf(response)).code).toBe(400);
    },
  );

  test('answers 400 to a workspace that the organization does not have', async () => {
    for (const id of [foreign.workspaceId, UNKNOWN]) {
      const response = await manager.call('GET', `/observability/destinations?workspace_id=${id}`);
      expect(await issuesOf(response)).toEqual(['query.workspace_id is no workspace of the organization']);
    }
  });
});

describe('a destination', () => {
  test('changes in the fields that the request names, and in no other', async () => {
    const before = await makeDestination(manager, { ...(await freshPlace()), sampling_rate: 0.5 });
    const changes = {
      name: 'Renamed',
      broadcast_generation_identity: true,
      regions: ['eu'],
      type: 'ramp',
      workspace_id: UNKNOWN,
    };
    const after = await updateDestination(manager, before.id, changes);
    expect(after).toEqual({
      ...before,
      name: 'Renamed',
      broadcast_generation_identity: true,
      regions: ['europe'],
      updated_at: expect.any(String),
    });
    expect(after.updated_at > before.updated_at).toBe(true);
    expect(await getDestination(manager, before.id)).toEqual(after);

    const { hash } = await addKey(gateway);
    const rules = { groups: [{ rules: [{ field: 'model', operator: 'exists' }] }] };
    const narrowed = { api_key_hashes: [hash], filter_rules: rules };
    expect(await updateDestination(manager, before.id, narrowed)).toMatchObject({ api_key_hashes: [hash] });
    expect(await updateDestination(manager, before.id, { api_key_hashes: null, filter_rules: null })).toEqual(
      {
        ...after,
        updated_at: expect.any(String),
      },
    );
  });

  test('refuses a change with 400 and every violation', async () => {
    const { id } = await makeDestination(manager, await freshPlace());
    const body = {
      api_key_hashes: ['b'.repeat(64)],
      config: { url: 'https://10.0.0.1' },
      filter_rules: { groups: [{ rules: [{ field: 'model', operator: 'regex', value: '.{600}' }] }] },
    };
    expect(await issuesOf(await patchDestination(manager, id, body))).toEqual([
      'body.config.url The URL leads to an address that is not allowed',
      'body.filter_rules.groups.0.rules.0.value must be a smaller regular expression: its repetitions are too large',
      'body.api_key_hashes.0 is the hash of no key of the organization',
    ]);
    expect(await issuesOf(await patchDestination(manager, id, { config: { apiKey: 'x' } }))).toEqual([
      'body.config.url is required',
      'body.config has unknown fields: apiKey',
    ]);
    const both = { ...body, config: { apiKey: 'x' } };
    expect(await issuesOf(await patchDestination(manager, id, both))).toEqual([
      'body.config.url is required',
      'body.config has unknown fields: apiKey',
      'body.filter_rules.groups.0.rules.0.value must be a smaller regular expression: its repetitions are too large',
      'body.api_key_hashes.0 is the hash of no key of the organization',
    ]);
    const empty = await errorOf(await patchDestination(manager, id, { color: 'red' }));
    expect([empty.code, empty.metadata.reason]).toEqual([400, 'no_update_fields']);
  });

  test('answers 404 to a second deletion', async () => {
    const { id } = await makeDestination(manager, await freshPlace());
    const deleted = await deleteDestination(manager, id);
    expect([deleted.status, await deleted.json()]).toEqual([200, { deleted: true }]);
    expect((await deleteDestination(manager, id)).status).toBe(404);
  });

  test('answers the same 404 if unknown, foreign, deleted or malformed', async () => {
    const place = { workspace_id: foreign.workspaceId };
    const theirs = await makeDestination(foreigner, place);
    const gone = await makeDestination(manager, await freshPlace());
    await deleteDestination(manager, gone.id);
    const requests: [method: string, body?: object][] = [
      ['GET'],
      ['PATCH', { name: 'Mine', config: { url: 'https://app.example' } }],
      ['DELETE'],
    ];
    for (const [method, body] of requests) {
      const ask = async (id: string) =>
        visibleParts(await manager.call(method, `/observability/destinations/${id}`, { body }));
      const missing = await ask(UNKNOWN);
      expect(missing.status).toBe(404);
      for (const id of [theirs.id, gone.id, 'x', '%00']) expect(await ask(id)).toEqual(missing);
    }
    expect(await getDestination(foreigner, theirs.id)).toEqual(theirs);
  });

  test('gets a row in the audit log for each change, and none if refused', async () => {
    const { id } = await makeDestination(manager, await freshPlace());
    await updateDestination(manager, id, { enabled: false });
    await patchDestination(manager, id, { api_key_hashes: ['b'.repeat(64)] });
    await deleteDestination(manager, id);
    const rows = await auditRows(gateway, `observability/destinations/${id}`);
    expect(rows.map(({ action }) => action)).toEqual([
      'createObservabilityDestination',
      'updateObservabilityDestination',
      'deleteObservabilityDestination',
    ]);
    expect(rows.every((row) => row.key_hash !== null && row.request_id !== null)).toBe(true);
  });

  test('refuses regular keys with 403 on every operation', async () => {
    const { id } = await makeDestination(manager, await freshPlace());
    expect((await postDestination(gateway, draftOf('webhook'))).status).toBe(403);
    expect((await patchDestination(gateway, id, { name: 'x' })).status).toBe(403);
    expect((await deleteDestination(gateway, id)).status).toBe(403);
    expect((await gateway.call('GET', `/observability/destinations/${id}`)).status).toBe(403);
    expect((await gateway.call('GET', '/observability/destinations')).status).toBe(403);
  });
});
