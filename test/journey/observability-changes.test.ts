import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createDatabase } from '../support/open-database.ts';
import { newUuid } from '../../domain/ids.ts';
import { createEncryption } from '../../platform/encryption.ts';
import { createSendDeps } from '../../services/broadcast/destinations/send-to-destination.ts';
import {
  createDestinationService,
  type DestinationService,
} from '../../services/broadcast/destination-service.ts';
import { removeWorkspace } from '../../services/remove-workspace.ts';
import { createWorkspaceService } from '../../services/accounts/workspaces/workspace-service.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { deleteDestination, makeDestination, updateDestination } from '../support/destinations.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { makeWorkspace } from '../support/workspaces.ts';

const NOTHING_SENT = createSendDeps({ fetch: () => Promise.reject(new Error('nothing is sent here')) });

let gateway: Gateway;
let manager: Caller;

beforeAll(async () => {
  gateway = await startGateway();
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(() => gateway.close());

async function newPlace(slug: string): Promise<{ workspace_id: string }> {
  return { workspace_id: (await makeWorkspace(manager, slug)).id };
}

describe('a change of a destination', () => {
  test("clears the workspace's cached settings, and notifies the delivery after the commit", async () => {
    const { knex, close } = createDatabase({ url: gateway.config.database.url, poolMax: 3 });
    const events: string[] = [];
    const settings = { forget: (id: string) => void events.push(`forget ${id}`) };
    const seen: Promise<string>[] = [];
    const nameOf = async (id: string): Promise<string> => {
      const { rows } = await gateway.database.query<{ name: string }>(
        'select name from observability_destinations where id = $1',
        [id],
      );
      return rows[0]?.name ?? 'deleted';
    };
    const changed = (id: string): void => {
      events.push(`changed ${id}`);
      seen.push(nameOf(id));
    };
    const encryption = createEncryption(gateway.config.encryption);
    const told = { changed, destinationChanged: changed };
    const deps = { knex, encryption, settings, send: NOTHING_SENT, checkUrl: () => {}, ...told };
    try {
      const place = await newPlace('told');
      const id = await exercise(createDestinationService(deps), place.workspace_id, seen);
      const forget = `forget ${place.workspace_id}`;
      expect(events).toEqual([forget, forget, `changed ${id}`, forget, `changed ${id}`]);
      expect(await Promise.all(seen)).toEqual(['Renamed', 'deleted']);

      events.length = 0;
      const other = await makeDestination(manager, place);
      const actor = { organizationId: gateway.organizationId };
      const workspaces = createWorkspaceService({ ...deps, remove: removeWorkspace });
      await workspaces.update(actor, place.workspace_id, { isObservabilityBroadcastEnabled: false });
      await workspaces.remove(actor, place.workspace_id);
      expect(events).toEqual([forget, forget, `changed ${other.id}`]);
    } finally {
      await close();
    }
  });

  test('notifies the other processes through Postgres', async () => {
    const place = await newPlace('announced');
    const client = await gateway.database.connect();
    const heard: (string | undefined)[] = [];
    client.on('notification', ({ payload }) => heard.push(payload));
    try {
      await client.query('listen sluice_workspaces');
      const { id } = await makeDestination(manager, place);
      await updateDestination(manager, id, { enabled: false });
      await deleteDestination(manager, id);
      await client.query('select');
      expect(heard).toEqual(Array(3).fill(place.workspace_id));
    } finally {
      await client.query('unlisten *');
      client.release();
    }
  });

  /** Creates, renames and, once the rename was looked at, deletes a destination. Returns its id. */
  async function exercise(
    service: DestinationService,
    workspaceId: string,
    seen: readonly Promise<string>[],
  ): Promise<string> {
    const { organizationId } = gateway;
    const principal = {
      keyId: 1,
      keyHash: 'a'.repeat(64),
      kind: 'management' as const,
      label: 'a key',
      organizationId,
      workspaceId,
    };
    const draft = {
      name: 'First',
      enabled: true,
      apiKeyHashes: null,
      regions: ['global' as const],
      filterRules: null,
      samplingRate: 1,
      privacyMode: false,
      flags: {
        sendsCost: false,
        sendsCostAllocation: false,
        sendsIdentity: false,
        sendsRequestContext: false,
      },
      config: { type: 'webhook' as const, config: { url: 'https://app.example', method: 'POST' as const } },
      workspaceId,
    };
    const respond = ({ id }: { id: string }) => ({ status: 201, body: id });
    const author = { principal, client: { requestId: 'req_x' } };
    const { body } = await service.create(author, draft, { respond });
    const id = body as string;
    await service.update({ organizationId }, id, { name: 'Renamed' }, []);
    await Promise.all(seen);
    await service.remove({ organizationId }, id);
    return id;
  }
});

describe('a replay of dead letters', () => {
  test('notifies the delivery after the commit, and only if letters are replayed', async () => {
    const { knex, close } = createDatabase({ url: gateway.config.database.url, poolMax: 3 });
    const told: Promise<number>[] = [];
    const asked = async (id: string): Promise<number> => {
      const { rowCount } = await gateway.database.query(
        'select from broadcast_dead_letters where destination_id = $1 and replay_requested_at is not null',
        [id],
      );
      return rowCount ?? 0;
    };
    const service = createDestinationService({
      knex,
      encryption: createEncryption(gateway.config.encryption),
      settings: { forget: () => undefined },
      checkUrl: () => {},
      send: NOTHING_SENT,
      changed: (id) => void told.push(asked(id)),
    });
    const { organizationId } = gateway;
    try {
      const { id } = await makeDestination(manager, await newPlace('replayed'));
      await service.replay({ organizationId }, id, {});
      expect(told).toEqual([]);
      await gateway.database.query(
        `insert into broadcast_dead_letters (id, destination_id, created_at, generation_id, reason)
         values ($1, $2, now(), 'gen-1-x', 'Refused.')`,
        [newUuid(), id],
      );
      expect(await service.replay({ organizationId }, id.toUpperCase(), {})).toBe(1);
      expect(await Promise.all(told)).toEqual([1]);
    } finally {
      await close();
    }
  });
});
