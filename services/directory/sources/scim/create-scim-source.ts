/** Reads the people and groups of an organization, page by page, from its remote SCIM server. */
import { MAX_PAGE_BYTES } from '../../../../domain/directory/limits.ts';
import { isUuid } from '../../../../domain/directory/scim/member-value.ts';
import { AppError } from '../../../../domain/errors.ts';
import type { StagedGroup, StagedPerson } from '../../../../domain/directory/staged.ts';
import { factsOf, readUser } from '../../scim/read-user.ts';
import { readGroup } from '../../scim/read-group.ts';
import {
  SourceError,
  type UnreadableResource,
  type PageRequest,
  type SourcePage,
  type SourceReader,
  type LookupTarget,
} from '../source-reader.ts';
import { idOf, type ListResponse, readListResponse, valueOf } from './list-response.ts';
import { createScimClient, type ScimClient, type ScimClientOptions } from './scim-client.ts';

/** The number of people in a page; servers may return fewer. */
const PEOPLE_PER_PAGE = 1_000;
/** The size of the page that is requested when a server refuses a large one. */
const SMALL_PAGE = 50;
/** The number of groups in a page, each with its members. */
const GROUPS_PER_PAGE = 100;
const READS_AT_ONCE = 8;
/** The limit of each answer while groups are read concurrently. A larger group is read alone. */
const SMALL_ANSWER_BYTES = MAX_PAGE_BYTES / READS_AT_ONCE;
/** The number of members after which groups that are read one by one end a page. */
const MEMBERS_PER_PAGE = 100_000;

/**
 * Reads a SCIM 2.0 server (RFC 7643 and 7644, September 2015). When a server leaves members out of lists, each group
 * is read by itself.
 */
export function createScimSource(options: ScimClientOptions): SourceReader {
  const client = createScimClient(options);
  return {
    canFilterByChange: (signal) => canFilter(client, signal),
    async readPeople(request) {
      const { resources, total } = await list(client, '/Users', PEOPLE_PER_PAGE, request);
      return { ...understand(resources, toPerson), total };
    },
    async readGroups(request) {
      const { resources, total } = await list(client, '/Groups', GROUPS_PER_PAGE, request);
      const page = resources.some(hasMembers)
        ? understand(resources, toGroup)
        : await readEach(client, resources, request.signal);
      return { ...page, total };
    },
    async findPerson(wanted, signal) {
      const found = await find(client, '/Users', 'userName', wanted, signal);
      return found === null ? null : understood(found, toPerson);
    },
    async findGroup(wanted, signal) {
      const found = await find(client, '/Groups', 'displayName', wanted, signal);
      if (found === null) return null;
      const isListed = wanted.sourceId === null;
      const whole = isListed && !hasMembers(found) ? await readWhole(client, found, signal) : found;
      return understood(whole!, toGroup);
    },
  };
}

async function canFilter(client: ScimClient, signal: AbortSignal): Promise<boolean> {
  const answer = await client.get('/ServiceProviderConfig', signal);
  if (answer.kind !== 'ok') return false;
  const filter = valueOf(answer.body, 'filter');
  if (typeof filter !== 'object' || filter === null) return false;
  return valueOf(filter as Record<string, unknown>, 'supported') === true;
}

async function list(
  client: ScimClient,
  path: string,
  count: number,
  { startIndex, changedSince, signal }: PageRequest,
): Promise<ListResponse> {
  const query = new URLSearchParams({ startIndex: String(startIndex), count: String(count) });
  if (changedSince !== undefined) query.set('filter', `meta.lastModified gt "${changedSince}"`);
  const answer = await client.get(`${path}?${query.toString()}`, signal);
  if (answer.kind === 'ok') return readListResponse(answer.body);
  if (answer.kind === 'refused' && changedSince !== undefined) throw new FilterRefusedError();
  if (answer.kind === 'refused' && count > SMALL_PAGE)
    return list(client, path, SMALL_PAGE, { startIndex, signal });
  throw new SourceError('source_invalid', `The source has no list at ${path}.`);
}

/** Thrown when the source refuses to filter by the time of change. */
export class FilterRefusedError extends Error {}

type Understood<Resource> = Omit<SourcePage<Resource>, 'total'>;

/** Reads the first groups of a list one by one, as many as a page has room for. */
async function readEach(
  client: ScimClient,
  groups: readonly Record<string, unknown>[],
  signal: AbortSignal,
): Promise<Understood<StagedGroup>> {
  const page: Understood<StagedGroup> = { resources: [], unreadable: [] };
  let members = 0;
  for (let from = 0; from < groups.length; from += READS_AT_ONCE) {
    const batch = groups.slice(from, from + READS_AT_ONCE);
    const small = await Promise.all(
      batch.map(async (group) => {
        const whole = await readWhole(client, group, signal, SMALL_ANSWER_BYTES);
        return whole === undefined ? undefined : understand([whole], toGroup);
      }),
    );
    for (const [n, group] of batch.entries()) {
      if (members >= MEMBERS_PER_PAGE) return page;
      const { resources, unreadable } =
        small[n] ?? understand([(await readWhole(client, group, signal))!], toGroup);
      page.resources.push(...resources);
      page.unreadable.push(...unreadable);
      for (const one of resources) members += one.members.length;
    }
  }
  return page;
}

/** Reads one group. Returns undefined only for a group that is larger than `maxBytes`. */
async function readWhole(
  client: ScimClient,
  group: Record<string, unknown>,
  signal: AbortSignal,
  maxBytes?: number,
): Promise<Record<string, unknown> | undefined> {
  const path = `/Groups/${encodeURIComponent(String(valueOf(group, 'id')))}`;
  const answer = await client.get(path, signal, maxBytes);
  if (answer.kind === 'ok') return answer.body;
  if (answer.kind === 'too_large') return undefined;
  throw new SourceError('source_incomplete', 'A group was in the list of the source, and could not be read.');
}

/** Finds a resource. Returns null only when the source states that it does not exist. */
async function find(
  client: ScimClient,
  path: string,
  nameAttribute: string,
  { sourceId, name }: LookupTarget,
  signal: AbortSignal,
): Promise<Record<string, unknown> | null> {
  if (sourceId !== null) {
    for (const id of spellingsOf(sourceId)) {
      const answer = await client.get(`${path}/${encodeURIComponent(id)}`, signal);
      if (answer.kind === 'ok') return { ...answer.body, id };
      if (answer.kind !== 'not_found') throw unproven(path);
    }
    return null;
  }
  const query = new URLSearchParams({ filter: `${nameAttribute} eq ${JSON.stringify(name)}` });
  const answer = await client.get(`${path}?${query.toString()}`, signal);
  if (answer.kind !== 'ok') throw new NameRefusedError(path);
  const { resources, total } = readListResponse(answer.body);
  // A server that ignores the filter returns other resources.
  if (!resources.every((one) => isSameName(valueOf(one, nameAttribute), name)))
    throw new NameRefusedError(path);
  if (resources.length !== total) throw unproven(path);
  return resources[0] ?? null;
}

function isSameName(found: unknown, wanted: string): boolean {
  return typeof found === 'string' && found.toLowerCase() === wanted.toLowerCase();
}

/**
 * Returns the spellings of an id. UUIDs are stored in lower case, but servers use either case, so both must be tried.
 */
function spellingsOf(id: string): string[] {
  return isUuid(id) ? [id, id.toUpperCase()] : [id];
}

function unproven(path: string): SourceError {
  return new SourceError(
    'source_incomplete',
    `The source does not say whether an entry of ${path} was deleted.`,
  );
}

/** Thrown when the source cannot be searched by name. */
export class NameRefusedError extends SourceError {
  constructor(path: string) {
    super(
      'source_incomplete',
      `The source cannot be searched by name, so entries of ${path} that are missing from its lists cannot be looked up. ` +
        'They stay until a sync allows deletions.',
    );
  }
}

function hasMembers(group: Record<string, unknown>): boolean {
  return valueOf(group, 'members') !== undefined;
}

function toPerson(resource: Record<string, unknown>): StagedPerson {
  const attributes = readUser(resource, { lenient: true });
  return { ...factsOf(attributes), sourceId: idOf(resource), resource: attributes };
}

function toGroup(resource: Record<string, unknown>): StagedGroup {
  const {
    displayName,
    externalId,
    resource: attributes,
    members = [],
  } = readGroup(resource, { lenient: true });
  return { sourceId: idOf(resource), displayName, externalId, resource: attributes, members };
}

function understand<Resource>(
  resources: readonly Record<string, unknown>[],
  read: (resource: Record<string, unknown>) => Resource,
): Understood<Resource> {
  const understoodOnes: Resource[] = [];
  const unreadable: UnreadableResource[] = [];
  for (const resource of resources) {
    const sourceId = idOf(resource);
    try {
      understoodOnes.push(read(resource));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      unreadable.push({ sourceId, why: error.message });
    }
  }
  return { resources: understoodOnes, unreadable };
}

function understood<Resource>(
  resource: Record<string, unknown>,
  read: (resource: Record<string, unknown>) => Resource,
): Resource {
  const { resources, unreadable } = understand([resource], read);
  const [first] = resources;
  if (first !== undefined) return first;
  const [{ sourceId, why } = { sourceId: '', why: '' }] = unreadable;
  throw new SourceError('source_invalid', `The resource ${sourceId} of the source is not understood: ${why}`);
}
