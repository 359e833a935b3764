import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { OpenRouter } from '@openrouter/sdk';
import { ConflictResponseError, NotFoundResponseError } from '@openrouter/sdk/models/errors';
import { DESTINATION_TYPES } from '../../domain/broadcast/destination.ts';
import { CONFIGS } from '../support/destinations.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { publishedClient, thrownBy } from '../support/published-client.ts';

let gateway: Gateway;
let client: OpenRouter;

beforeAll(async () => {
  gateway = await startGateway();
  client = publishedClient(gateway, gateway.managementKey);
});

afterAll(() => gateway.close());

/** The client does not refuse a record that lacks a field: it calls its type unknown. */
async function typesInList(): Promise<string[]> {
  const types: string[] = [];
  for await (const page of await client.observability.list({ limit: 5 })) {
    types.push(...page.result.data.map(({ type }) => type));
  }
  return types;
}

test('the published client parses every type that it creates, lists, reads and updates', async () => {
  for (const type of DESTINATION_TYPES) {
    const { data } = await client.observability.create({
      createObservabilityDestinationRequest: { name: `To ${type}`, type, config: CONFIGS[type] },
    });
    if (data.type === 'UNKNOWN') throw new Error(`${type}: ${JSON.stringify(data.raw)}`);
    expect(data).toMatchObject({ type, name: `To ${type}`, filterRules: null, apiKeyHashes: null });
    const read = await client.observability.get({ id: data.id });
    expect(read.data).toEqual(data);
    const updated = await client.observability.update({
      id: data.id,
      updateObservabilityDestinationRequest: { name: 'Renamed', regions: ['eu'] },
    });
    expect(updated.data).toMatchObject({ type, name: 'Renamed', regions: ['europe'] });
  }
  expect(await typesInList()).toEqual([...DESTINATION_TYPES]);
});

test('the published client throws its own errors for 404 and 409, and deletes', async () => {
  const request = { name: 'One too many', type: 'webhook' as const, config: CONFIGS.webhook };
  const create = () => client.observability.create({ createObservabilityDestinationRequest: request });
  for (let count = 1; count < 5; count += 1) await create();
  expect(await thrownBy(create())).toBeInstanceOf(ConflictResponseError);
  const { result } = await client.observability.list();
  const [{ id } = { id: '' }] = result.data as { id: string }[];
  expect(await client.observability.delete({ id })).toEqual({ deleted: true });
  expect(await thrownBy(client.observability.get({ id }))).toBeInstanceOf(NotFoundResponseError);
});
