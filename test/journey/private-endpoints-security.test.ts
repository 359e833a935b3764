import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey, addOrganization } from '../support/accounts.ts';
import { type Caller, createCaller, errorOf, visibleParts } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import {
  endpointDraft,
  ENTITLED,
  getEndpoint,
  listEndpoints,
  makeActiveEndpoint,
  makeEndpoint,
  UNKNOWN_ID,
  type WireEndpoint,
} from '../support/private-endpoints.ts';

let gateway: Gateway;
let manager: Caller;
let foreigner: Caller;
let unentitled: Caller;

beforeAll(async () => {
  const env = { DATABASE_STATEMENT_TIMEOUT: '1s' };
  gateway = await startGateway({ bootstrap: ENTITLED, env });
  manager = createCaller(gateway.origin, gateway.managementKey);
  const [foreign, other] = [await addOrganization(gateway), await addOrganization(gateway)];
  await gateway.database.query('update organizations set entitlements = $1 where id = $2', [
    ENTITLED.entitlements,
    foreign.organizationId,
  ]);
  const keyIn = async (place: typeof foreign) =>
    createCaller(gateway.origin, (await addKey(gateway, { ...place, kind: 'management' })).token);
  foreigner = await keyIn(foreign);
  unentitled = await keyIn(other);
});

afterAll(() => gateway.close());

type Operation = [method: string, path: string, body?: object | undefined];

const prices = { pricing: { prompt: '1', completion: '1' } };

/** Every operation on one endpoint, with a body that is accepted. */
function operationsOn(id: string): Operation[] {
  return [
    ['GET', `/private-endpoints/${id}`],
    ['PATCH', `/private-endpoints/${id}`, { upstream_model_id: 'x' }],
    ['PUT', `/private-endpoints/${id}/pricing`, prices],
    ['POST', `/private-endpoints/${id}/activate`],
    ['POST', `/private-endpoints/${id}/enable`],
    ['POST', `/private-endpoints/${id}/disable`],
    ['DELETE', `/private-endpoints/${id}`],
  ];
}

function call(caller: Caller, [method, path, body]: Operation): Promise<Response> {
  return caller.call(method, path, body === undefined ? {} : { body });
}

const ALL: Operation[] = [
  ['GET', '/private-endpoints'],
  ['POST', '/private-endpoints', endpointDraft()],
  ...operationsOn(UNKNOWN_ID),
];

describe('the operations on private endpoints', () => {
  test.each(ALL)(
    'require a management key and the entitlement before they check the body: %s %s',
    async (...operation) => {
      const [method, path, body] = operation;
      const refused = await errorOf(await call(unentitled, operation));
      expect(refused).toMatchObject({
        code: 403,
        message: 'The organization is not entitled to this operation',
        metadata: { reason: 'entitlement_required', retryable: false },
      });
      if (body !== undefined) {
        const broken = await errorOf(await call(unentitled, [method, path, { pricing: 1 }]));
        expect(broken.metadata.reason).toBe('entitlement_required');
      }
      const regular = await addKey(gateway);
      const answer = await call(createCaller(gateway.origin, regular.token), operation);
      expect((await errorOf(answer)).metadata.reason).toBe('management_key_required');
    },
  );

  test('answer another organization as for an unknown id, and change nothing', async () => {
    const mine = await makeActiveEndpoint(gateway, manager);
    const theirs = operationsOn(mine.id);
    for (const [index, unknown] of operationsOn(UNKNOWN_ID).entries()) {
      const expected = await visibleParts(await call(foreigner, unknown));
      expect(expected.status).toBe(404);
      expect(await visibleParts(await call(foreigner, theirs[index]!))).toEqual(expected);
    }
    expect(await listEndpoints(foreigner)).toEqual([]);
    expect(await getEndpoint(manager, mine.id)).toEqual(mine);
  });

  test('answer 404 to a malformed id with every kind of body', async () => {
    for (const id of ['1', 'constructor', `${UNKNOWN_ID}0`]) {
      for (const [method, path, body] of operationsOn(id)) {
        expect((await call(manager, [method, path, body])).status).toBe(404);
        if (body === undefined) continue;
        expect((await call(manager, [method, path, {}])).status).toBe(404);
      }
    }
  });

  test('list endpoints to their own organization only', async () => {
    const { id } = await makeEndpoint(foreigner);
    expect((await listEndpoints(manager)).map((endpoint) => endpoint['id'])).not.toContain(id);
  });
});

describe('a statement that Postgres cancels after its timeout', () => {
  test('gets 408 when it reads or begins a validation', async () => {
    const { id } = await makeEndpoint(manager);
    const holder = await gateway.database.connect();
    try {
      await holder.query('begin');
      await holder.query('lock table private_endpoint_validations in access exclusive mode');
      const body = { workspace_id: gateway.workspaceId };
      const answers = await Promise.all([
        manager.call('GET', `/private-endpoints/${id}`),
        manager.call('POST', `/private-endpoints/${id}/validate`, { body }),
      ]);
      for (const answer of answers) {
        expect(await errorOf(answer)).toMatchObject({ code: 408, metadata: { reason: 'timeout' } });
      }
    } finally {
      await holder.query('rollback');
      holder.release();
    }
  });

  test('gets 408 on every operation, and changes nothing', async () => {
    const { id } = await makeEndpoint(manager);
    const holder = await gateway.database.connect();
    try {
      await holder.query('begin');
      await holder.query('lock table private_endpoints in access exclusive mode');
      const all: Operation[] = [...ALL.slice(0, 2), ...operationsOn(id)];
      const answers = await Promise.all(all.map((operation) => call(manager, operation)));
      for (const answer of answers) {
        expect(await errorOf(answer)).toMatchObject({
          code: 408,
          message: 'Operation timed out. Please try again later.',
          metadata: { reason: 'timeout', retryable: true },
        });
      }
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    expect((await getEndpoint(manager, id)) satisfies WireEndpoint).toMatchObject({
      status: 'draft',
      upstream_model_id: 'echo-tuned',
    });
  });
});
