/** Measures how long a provider waits for a change of one member in large and small groups. */
import type { MeasuredGateway } from '../gateway-process.ts';
import type { Customer } from './customer.ts';

const FEW = 10;
const PAGE = 200;
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** The milliseconds of each request. */
export interface PatchTimes {
  add: number[];
  remove: number[];
}

/**
 * Removes one person from a group and adds them again, in a group of all people and in one of ten, in alternating
 * rounds. Both groups are mapped to a workspace.
 */
export async function measurePatches(
  gateway: MeasuredGateway,
  customer: Customer,
  rounds: number,
): Promise<{ many: PatchTimes; few: PatchTimes }> {
  const { token } = await customer.call<{ token: string }>('POST', '/scim/tokens', { label: 'bench' });
  const scim = callScim(gateway, token);
  const people = await listPeople(scim);
  const groups = {
    many: await createMapped(customer, scim, 'everybody', people),
    few: await createMapped(customer, scim, 'a-few', people.slice(0, FEW)),
  };
  const times = { many: { add: [], remove: [] } as PatchTimes, few: { add: [], remove: [] } as PatchTimes };
  for (let round = -1; round < rounds; round += 1) {
    const order = round % 2 === 0 ? (['many', 'few'] as const) : (['few', 'many'] as const);
    for (const side of order) {
      const value = people[(round + 1) % FEW]!;
      const remove = await timed(scim, groups[side], { op: 'remove', path: `members[value eq "${value}"]` });
      const add = await timed(scim, groups[side], { op: 'add', path: 'members', value: [{ value }] });
      // The first round is the warm-up.
      if (round < 0) continue;
      times[side].remove.push(remove);
      times[side].add.push(add);
    }
  }
  return times;
}

type Scim = <Answer>(method: string, target: string, body?: object) => Promise<Answer>;

/** Returns a function that calls the SCIM server with this token. */
function callScim(gateway: MeasuredGateway, token: string): Scim {
  return async <Answer>(method: string, target: string, body?: object) => {
    const response = await fetch(`${gateway.origin}/api/v1/scim/v2${target}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${target}: ${response.status} ${text.slice(0, 500)}`);
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  };
}

/** Returns the ids of all people. */
async function listPeople(scim: Scim): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const target = `/Users?startIndex=${ids.length + 1}&count=${PAGE}&attributes=id`;
    const page = await scim<{ totalResults: number; Resources: { id: string }[] }>('GET', target);
    ids.push(...page.Resources.map(({ id }) => id));
    if (ids.length >= page.totalResults) return ids;
  }
}

/** Creates a group of these people and maps it to a new workspace. Returns the group's id. */
async function createMapped(
  customer: Customer,
  scim: Scim,
  displayName: string,
  ids: readonly string[],
): Promise<string> {
  const members = ids.map((value) => ({ value }));
  const { id } = await scim<{ id: string }>('POST', '/Groups?excludedAttributes=members', {
    schemas: [GROUP],
    displayName,
    members,
  });
  await customer.settle();
  const { data } = await customer.call<{ data: { id: string } }>('POST', '/workspaces', {
    name: displayName,
    slug: displayName,
  });
  const mapping = { scim_group_id: id, workspace_id: data.id, role: 'member' };
  await customer.call('POST', '/scim/group-mappings', mapping);
  await customer.settle();
  return id;
}

/** Changes a group by one operation. Returns the milliseconds that this took. */
async function timed(scim: Scim, groupId: string, operation: object): Promise<number> {
  const startedAtMs = performance.now();
  await scim('PATCH', `/Groups/${groupId}`, { schemas: [PATCH], Operations: [operation] });
  return performance.now() - startedAtMs;
}
