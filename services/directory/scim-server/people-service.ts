/** Implements the operations of the SCIM server on people. */
import { isDeepStrictEqual } from 'node:util';
import type { Handle } from '../../../db/postgres/connection.ts';
import { NO_CONDITION } from '../../../db/directory/directory-page.ts';
import { filterSql } from '../../../db/directory/filter-sql.ts';
import { createGroupMemberStore, type GroupOfPerson } from '../../../db/directory/group-member-store.ts';
import { createPeopleStore, type PersonDraft, type PersonNames } from '../../../db/directory/people-store.ts';
import type { DirectoryPerson, ScimAttributes } from '../../../domain/directory/person.ts';
import { requireFound, requireId } from '../../require-found.ts';
import type { Push } from '../push/push.ts';
import { factsOf, readUser } from '../scim/read-user.ts';
import { parseFilter } from '../scim/parse-filter.ts';
import { patchUser } from '../scim/patch-user.ts';
import { readPatch } from '../scim/read-patch.ts';
import { refuse } from '../../../domain/directory/scim/refuse.ts';
import { requireVersion, type ScimWrite, toPushCall } from './scim-write.ts';

/** A person with the groups that were requested. */
export interface ShownPerson {
  person: DirectoryPerson;
  groups: GroupOfPerson[];
}

export interface ScimListQuery {
  filter?: string | undefined;
  /** The position of the first resource in the whole list, from 1. */
  startIndex: number;
  count: number;
}

/** States whether the answer shows the groups of people, which costs a query. */
interface WantedGroups {
  groups: boolean;
}

export interface PeopleServiceDeps {
  knex: Handle;
  push: Push;
}

/** Shows and changes the people of directories for the SCIM server. Unknown and foreign ids get the same 404. */
export function createPeopleService({ knex, push }: PeopleServiceDeps) {
  const change: ChangePerson = (write, id, action, wants, draftOf) =>
    push(toPushCall(write), async (transaction) => {
      const person = await findPerson(transaction, write.client.organizationId, id);
      requireVersion(write, person.version);
      const changed = await store(transaction, person, draftOf(person.resource));
      return {
        answer: await withGroups(transaction, changed, wants),
        personIds: [person.id],
        entries: [{ action, target: targetOf(person.id) }],
      };
    });
  return {
    async list(
      organizationId: string,
      { filter, startIndex, count }: ScimListQuery,
      wants: WantedGroups,
    ): Promise<{ people: ShownPerson[]; totalCount: number }> {
      const condition =
        filter === undefined ? NO_CONDITION : filterSql(parseFilter(filter), 'User', 'resource');
      const page = { offset: startIndex - 1, limit: count };
      const { people, totalCount } = await createPeopleStore(knex).list(organizationId, condition, page);
      return { people: await withGroupsOfAll(knex, people, wants), totalCount };
    },
    async get(organizationId: string, id: string, wants: WantedGroups): Promise<ShownPerson> {
      return withGroups(knex, await findPerson(knex, organizationId, id), wants);
    },
    create(write: ScimWrite, raw: unknown, wants: WantedGroups): Promise<ShownPerson> {
      const resource = readUser(raw);
      const draft = { facts: factsOf(resource), resource };
      return push(toPushCall(write), async (transaction) => {
        const person = await insertOrRevive(transaction, write.client.organizationId, draft);
        return {
          answer: await withGroups(transaction, person, wants),
          personIds: [person.id],
          entries: [{ action: 'createProvisionedUser', target: targetOf(person.id) }],
        };
      });
    },
    replace(write: ScimWrite, id: string, raw: unknown, wants: WantedGroups): Promise<ShownPerson> {
      const attributes = readUser(raw);
      return change(write, id, 'replaceProvisionedUser', wants, (before) => keepUnnamed(attributes, before));
    },
    patch(write: ScimWrite, id: string, raw: unknown, wants: WantedGroups): Promise<ShownPerson> {
      const operations = readPatch(raw);
      return change(write, id, 'patchProvisionedUser', wants, (before) => patchUser(before, operations));
    },
    remove: (write: ScimWrite, id: string): Promise<void> =>
      push(toPushCall(write), async (transaction) => {
        const person = await findPerson(transaction, write.client.organizationId, id);
        requireVersion(write, person.version);
        await createPeopleStore(transaction).delete(person.id);
        await createGroupMemberStore(transaction).removePerson(person.id);
        const entries = [{ action: 'deleteProvisionedUser', target: targetOf(person.id) }];
        return { answer: undefined, personIds: [person.id], entries };
      }),
  };
}

type ChangePerson = (
  write: ScimWrite,
  id: string,
  action: string,
  wants: WantedGroups,
  draftOf: (before: ScimAttributes) => ScimAttributes,
) => Promise<ShownPerson>;

function targetOf(id: string): string {
  return `scim/v2/Users/${id}`;
}

async function findPerson(handle: Handle, organizationId: string, id: string): Promise<DirectoryPerson> {
  return requireFound(await createPeopleStore(handle).find(organizationId, requireId(id)));
}

/**
 * Keeps attributes that a replacement does not name but must not remove. A missing `active` must not admit an
 * inactive person. The external id is needed to find the keys of a leaver and a person who returns.
 */
function keepUnnamed(attributes: ScimAttributes, { active, externalId }: ScimAttributes): ScimAttributes {
  return {
    ...(active !== undefined && { active }),
    ...(externalId !== undefined && { externalId }),
    ...attributes,
  };
}

/**
 * Stores a changed person. A request that changes nothing does not change the version. A person without the attribute
 * `active` stays active or inactive.
 */
async function store(
  transaction: Handle,
  person: DirectoryPerson,
  resource: ScimAttributes,
): Promise<DirectoryPerson> {
  if (isDeepStrictEqual(resource, person.resource)) return person;
  const { active } = person;
  const facts = { ...factsOf(resource), ...(!('active' in resource) && { active }) };
  await requireUnique(transaction, person.organizationId, facts, person.id);
  return createPeopleStore(transaction).update(person.id, { facts, resource });
}

async function insertOrRevive(
  transaction: Handle,
  organizationId: string,
  draft: PersonDraft,
): Promise<DirectoryPerson> {
  const people = createPeopleStore(transaction);
  await requireUnique(transaction, organizationId, draft.facts, null);
  const deleted = await people.findDeleted(organizationId, draft.facts);
  const person =
    deleted === null ? await people.insert(organizationId, draft) : await people.update(deleted.id, draft);
  await createGroupMemberStore(transaction).resolve(organizationId, person.id, person.sourceId);
  return person;
}

async function requireUnique(
  transaction: Handle,
  organizationId: string,
  names: PersonNames,
  ownId: string | null,
): Promise<void> {
  const namesake = await createPeopleStore(transaction).findNamesake(organizationId, names, ownId);
  if (namesake === null) return;
  const isSameName = namesake.userName.toLowerCase() === names.userName.toLowerCase();
  throw refuse('uniqueness', `Another user has this ${isSameName ? 'userName' : 'externalId'}.`);
}

async function withGroups(
  handle: Handle,
  person: DirectoryPerson,
  wants: WantedGroups,
): Promise<ShownPerson> {
  return { person, groups: wants.groups ? await createGroupMemberStore(handle).groupsOf([person.id]) : [] };
}

async function withGroupsOfAll(
  handle: Handle,
  people: readonly DirectoryPerson[],
  wants: WantedGroups,
): Promise<ShownPerson[]> {
  const ids = people.map(({ id }) => id);
  const groups = wants.groups && ids.length > 0 ? await createGroupMemberStore(handle).groupsOf(ids) : [];
  const byPerson = Map.groupBy(groups, ({ personId }) => personId);
  return people.map((person) => ({ person, groups: byPerson.get(person.id) ?? [] }));
}

export type PeopleService = ReturnType<typeof createPeopleService>;
