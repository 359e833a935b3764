import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { SHARDS } from '../../../../domain/shard.ts';
import {
  type BroadcastScene,
  generationsIn,
  openBroadcastScene,
  type Place,
} from '../../../support/broadcast-scene.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Receiver, startReceiver } from '../../../support/receiver.ts';

let scene: BroadcastScene;
beforeAll(async () => {
  scene = await openBroadcastScene();
});
afterAll(() => scene.close());

interface Tenant {
  place: Place;
  tool: Receiver;
  id: string;
  word: string;
  recorded: string[];
}

/** A workspace of the organization, with one destination. */
async function addTenant(word: string, organizationId?: string): Promise<Tenant> {
  const place = await scene.addWorkspace();
  if (organizationId !== undefined) {
    place.organizationId = organizationId;
    await scene.database.query('update workspaces set organization_id = $2 where id = $1', [
      place.workspaceId,
      organizationId,
    ]);
  }
  const tool = await startReceiver();
  const id = await scene.addDestination(place, {
    type: 'webhook',
    config: { url: tool.url, method: 'POST' },
  });
  return { place, tool, id, word, recorded: [] };
}

const receivedBy = ({ tool }: Tenant): string[] => tool.received.flatMap(({ body }) => generationsIn(body));

test('each destination receives all generations of its own workspace and no others', async () => {
  const first = await addTenant('cobalt');
  const sibling = await addTenant('saffron', first.place.organizationId);
  const foreign = await addTenant('vermilion');
  const tenants = [first, sibling, foreign];
  const stop = new AbortController();
  const pumps = tenants.map(({ id }) =>
    scene.pump(id, { idleMs: 60_000, contentWaitMs: 30_000, stop: stop.signal }),
  );
  const write = async (tenant: Tenant, shard: number): Promise<void> => {
    const ids = await scene.record(tenant.place, 4, { broadcast: { hasContent: true } }, shard);
    tenant.recorded.push(...ids);
    await scene.addContent(ids, {
      input: [{ role: 'user', content: `a ${tenant.word} question` }],
      output: [],
      outputText: null,
    });
  };
  for (let round = 0; round < 2; round += 1) {
    const shards = Array.from({ length: SHARDS }, (_, shard) => shard);
    await Promise.all(shards.flatMap((shard) => tenants.map((tenant) => write(tenant, shard))));
  }
  for (const tenant of tenants) {
    // The pump counts a batch after the tool has answered: stopped in between, it would send the batch once more.
    await eventually(`all generations of ${tenant.word}`, async () => {
      const { delivered } = await scene.progress(tenant.id);
      return Number(delivered) >= tenant.recorded.length ? true : undefined;
    });
  }
  stop.abort();
  await Promise.all(pumps);
  for (const tenant of tenants) {
    expect(receivedBy(tenant).sort()).toEqual(tenant.recorded.sort());
    const bodies = tenant.tool.received.map(({ body }) => body).join();
    const words = tenants.map(({ word }) => word).filter((word) => bodies.includes(word));
    expect(words).toEqual([tenant.word]);
    expect(await scene.progress(tenant.id)).toMatchObject({ delivered: 128, without_content: 0 });
    await tenant.tool.close();
  }
});
