/** Reads, inserts, updates and deletes the people of a directory. */
import type { DirectoryPerson, PersonFacts, ScimAttributes } from '../../domain/directory/person.ts';
import { newUuid } from '../../domain/ids.ts';
import type { Handle } from '../postgres/connection.ts';
import { firstRow, oneRow } from '../postgres/results.ts';
import { bool, float8, jsonb, selectList, text, timestamptz, uuid } from '../postgres/shape.ts';
import type { Sql } from '../postgres/sql-text.ts';
import { type NamedValues, run } from '../postgres/statement.ts';
import { type DirectoryPage, readDirectoryPage } from './directory-page.ts';
import { rememberNames } from './former-names.ts';

const PERSON = {
  id: uuid,
  organizationId: uuid,
  userId: text.orNull,
  sourceId: text.orNull,
  externalId: text.orNull,
  userName: text,
  email: text,
  givenName: text.orNull,
  familyName: text.orNull,
  active: bool,
  resource: jsonb<ScimAttributes>(),
  version: float8,
  createdAt: timestamptz,
  updatedAt: timestamptz,
};
const COLUMNS = selectList(PERSON, undefined, { version: 'version::float8' });

/** A person as the directory describes them. */
export interface PersonDraft {
  facts: PersonFacts;
  resource: ScimAttributes;
}

/** The names that identify a person. */
export type PersonNames = Pick<PersonFacts, 'userName' | 'externalId'>;

/** Stores the people of directories. Deleted people keep their rows, which only `findDeleted` and `update` read. */
export function createPeopleStore(handle: Handle) {
  return {
    ...peopleReads(handle),

    insert: (organizationId: string, { facts, resource }: PersonDraft): Promise<DirectoryPerson> =>
      oneRow(
        handle,
        PERSON,
        `insert into directory_people (id, organization_id, external_id, user_name, email, given_name, family_name,
           active, resource)
         values (:id, :organizationId, :externalId, :userName, :email, :givenName, :familyName, :active, :resource)
         returning ${COLUMNS}`,
        { ...facts, id: newUuid(), organizationId, resource: JSON.stringify(resource) },
      ),

    /**
     * Replaces the directory's data of a person, and restores a deleted one. Replaced names are kept as former names.
     */
    update: (id: string, { facts, resource }: PersonDraft): Promise<DirectoryPerson> =>
      oneRow(
        handle,
        PERSON,
        `with remembered as (${REMEMBER_NAMES})
         update directory_people
         set external_id = :externalId, user_name = :userName, email = :email, given_name = :givenName,
           family_name = :familyName, active = :active, resource = :resource, version = version + 1,
           updated_at = clock_timestamp(), deleted_at = null
         where id = :id returning ${COLUMNS}`,
        { ...facts, id, resource: JSON.stringify(resource) },
      ),

    /** Hides a person. The row stays, so that a person who returns gets the same user. */
    async delete(id: string): Promise<void> {
      await run(
        handle,
        `update directory_people
         set deleted_at = clock_timestamp(), updated_at = clock_timestamp(), version = version + 1 where id = :id`,
        { id },
      );
    },
  };
}

/** Builds the methods that read people. */
function peopleReads(handle: Handle) {
  return {
    find: (organizationId: string, id: string): Promise<DirectoryPerson | null> =>
      findOne(handle, 'id = :id and deleted_at is null', { organizationId, id }),

    /** Finds another living person with the user name, in any case, or the external id. */
    findNamesake: (
      organizationId: string,
      { userName, externalId }: PersonNames,
      exceptId: string | null,
    ): Promise<DirectoryPerson | null> =>
      findOne(
        handle,
        `deleted_at is null and id is distinct from :exceptId::uuid
           and (lower(user_name) = lower(:userName) or external_id = :externalId)
         order by created_at, id limit 1`,
        { organizationId, exceptId, userName, externalId },
      ),

    /** Finds the deleted person who returns under the external id or, failing that, under the user name. */
    findDeleted: (
      organizationId: string,
      { userName, externalId }: PersonNames,
    ): Promise<DirectoryPerson | null> =>
      findOne(
        handle,
        `deleted_at is not null
           and (lower(user_name) = lower(:userName) or external_id = :externalId)
         order by external_id is not distinct from :externalId desc, deleted_at desc, id limit 1`,
        { organizationId, userName, externalId },
      ),

    /** Lists living people, oldest first. */
    async list(
      organizationId: string,
      condition: Sql,
      page: DirectoryPage,
    ): Promise<{ people: DirectoryPerson[]; totalCount: number }> {
      const found = await readDirectoryPage(handle, PAGE_ROWS, organizationId, condition, page);
      return { people: found.rows, totalCount: found.totalCount };
    },
  };
}

const PAGE_ROWS = { table: 'directory_people', shape: PERSON, columns: COLUMNS } as const;

/** Returns a person of `:organizationId` who meets the condition; null if there is none. */
async function findOne(
  handle: Handle,
  condition: string,
  values: NamedValues,
): Promise<DirectoryPerson | null> {
  const where = `where organization_id = :organizationId and ${condition}`;
  return firstRow(handle, PERSON, `select ${COLUMNS} from directory_people ${where}`, values);
}

const REMEMBER_NAMES = rememberNames({
  from: '(select * from directory_people where id = cast(:id as uuid)) d',
  userName: 'cast(:userName as text)',
  externalId: 'cast(:externalId as text)',
});
