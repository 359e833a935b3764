/** Acts as the administrator of an organization in the benchmark of directory sync. */
import { setTimeout as delay } from 'node:timers/promises';
import { addKey, type Place } from '../../test/support/accounts.ts';
import type { MeasuredGateway } from '../gateway-process.ts';

const CHECK_EVERY_MS = 200;
/** The status checks between two progress lines, which are five seconds apart. */
const CHECKS_PER_PROGRESS_LINE = 25;
const GROUPS_OF_A_WORKSPACE = 5;
const PAGE = 100;

interface WireJob {
  id: string;
  status: string;
  error_reason: string | null;
  progress: object;
}

/** An organization with its own management key. */
export interface Customer extends Place {
  call<Answer>(method: string, target: string, body?: object): Promise<Answer>;
  /** Sets the directory server that syncs read. */
  setSource(baseUrl: string): Promise<void>;
  /** Maps this many groups: five to each workspace, alternately as administrators and as members. */
  mapGroups(count: number): Promise<void>;
  /** Starts a sync and waits until it has succeeded. Returns the seconds. */
  sync(): Promise<number>;
  /** Waits until the latest sync has ended. */
  settle(): Promise<void>;
}

export async function createCustomer(gateway: MeasuredGateway, place: Place): Promise<Customer> {
  const { token } = await addKey(gateway, { ...place, kind: 'management' });
  const call = callApi(gateway, token);
  return {
    ...place,
    call,
    async setSource(baseUrl) {
      // Scheduled syncs must not run between the measured ones.
      const body = { type: 'scim', base_url: baseUrl, token: 'bench-token', interval_minutes: 1_440 };
      await call('PUT', '/scim/source', body);
    },
    async mapGroups(count) {
      let workspaceId = '';
      for (const [n, groupId] of (await listGroups(call, count)).entries()) {
        if (n % GROUPS_OF_A_WORKSPACE === 0) {
          const slug = `team-${n / GROUPS_OF_A_WORKSPACE}`;
          const created = await call<{ data: { id: string } }>('POST', '/workspaces', { name: slug, slug });
          workspaceId = created.data.id;
        }
        const role = n % 2 === 0 ? 'admin' : 'member';
        const mapping = { scim_group_id: groupId, workspace_id: workspaceId, role };
        await call('POST', '/scim/group-mappings', mapping);
      }
    },
    async sync() {
      const startedAtMs = performance.now();
      const { data } = await call<{ data: WireJob }>('POST', '/scim/sync-jobs');
      await waitForEnd(call, data.id);
      return (performance.now() - startedAtMs) / 1_000;
    },
    async settle() {
      const { data } = await call<{ data: WireJob[] }>('GET', '/scim/sync-jobs?limit=1');
      if (data[0] !== undefined) await waitForEnd(call, data[0].id);
    },
  };
}

/** Returns a function that calls the API with this management key. */
function callApi(gateway: MeasuredGateway, token: string): Customer['call'] {
  return async <Answer>(method: string, target: string, body?: object) => {
    const response = await fetch(`${gateway.origin}/api/v1${target}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${target}: ${response.status} ${text}`);
    return JSON.parse(text) as Answer;
  };
}

/** Waits until a sync has succeeded. Rejects when it has failed. */
async function waitForEnd(call: Customer['call'], id: string): Promise<void> {
  for (let check = 1; ; check += 1) {
    const { data } = await call<{ data: WireJob }>('GET', `/scim/sync-jobs/${id}`);
    if (data.status === 'succeeded') return;
    if (data.status === 'failed') throw new Error(`the sync failed: ${JSON.stringify(data)}`);
    if (check % CHECKS_PER_PROGRESS_LINE === 0) process.stdout.write(`  ${JSON.stringify(data.progress)}\n`);
    await delay(CHECK_EVERY_MS);
  }
}

/** Returns the ids of the first groups. */
async function listGroups(call: Customer['call'], count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const target = `/scim/groups?limit=${PAGE}&offset=${ids.length}`;
    const { data } = await call<{ data: { id: string }[] }>('GET', target);
    if (data.length === 0) throw new Error(`there are only ${ids.length} groups`);
    ids.push(...data.map(({ id }) => id));
  }
  return ids.slice(0, count);
}
