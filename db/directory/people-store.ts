/** Reads, inserts, updates and deletes the people of a directory. */
import type { DirectoryPerson, PersonFacts, ScimAttributes } from '../../domain/directory/person.ts';
import { newUuid } from '../../domain/ids.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';
import type { Sql } from '../postgres/sql-text.ts';
import { type DirectoryPage, readDirectoryPage } from './directory-page.ts';
import { rememberNames } from './former-names.ts';

interface PersonRow {
  id: string;
  organization_id: string;
  user_id: string | null;
  source_id: string | null;
  external_id: string | null;
  user_name: string;
  email: string;
  given_name: string | null;
  family_name: string | null;
  active: boolean;
  resource: ScimAttributes;
  version: string;
  created_at: Date;
  updated_at: Date;
}

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

    async insert(organizationId: string, { facts, resource }: PersonDraft): Promise<DirectoryPerson> {
      const now = handle.raw('clock_timestamp()');
      const [row] = await handle('directory_people')
        .insert({
          ...columnsOf(facts),
          id: newUuid(),
          organization_id: organizationId,
          resource: JSON.stringify(resource),
          created_at: now,
          updated_at: now,
        })
        .returning<PersonRow[]>('*');
      if (row === undefined) throw new Error('insert returned no row');
      return toPerson(row);
    },

    /**
     * Replaces the directory's data of a person, and restores a deleted one. Replaced names are kept as former names.
     */
    async update(id: string, { facts, resource }: PersonDraft): Promise<DirectoryPerson> {
      const [row] = await handle('directory_people')
        .with('remembered', handle.raw(REMEMBER_NAMES, { id, ...namesOf(facts) }))
        .where({ id })
        .update({
          ...columnsOf(facts),
          resource: JSON.stringify(resource),
          version: handle.raw('version + 1'),
          updated_at: handle.raw('clock_timestamp()'),
          deleted_at: null,
        })
        .returning<PersonRow[]>('*');
      if (row === undefined) throw new Error('update found no row');
      return toPerson(row);
    },

    /** Hides a person. The row stays, so that a person who returns gets the same user. */
    async delete(id: string): Promise<void> {
      const now = handle.raw('clock_timestamp()');
      await handle('directory_people')
        .where({ id })
        .update({ deleted_at: now, updated_at: now, version: handle.raw('version + 1') });
    },
  };
}

/** Builds the methods that read people. */
function peopleReads(handle: Handle) {
  return {
    async find(organizationId: string, id: string): Promise<DirectoryPerson | null> {
      const row = await handle<PersonRow>('directory_people')
        .where({ organization_id: organizationId, id })
        .whereNull('deleted_at')
        .first();
      return row === undefined ? null : toPerson(row);
    },

    /** Finds another living person with the user name, in any case, or the external id. */
    async findNamesake(
      organizationId: string,
      { userName, externalId }: PersonNames,
      exceptId: string | null,
    ): Promise<DirectoryPerson | null> {
      const [row] = await uncheckedRowsOf<PersonRow>(
        handle,
        `select * from directory_people
         where organization_id = ? and deleted_at is null and id is distinct from ?::uuid
           and (lower(user_name) = lower(?) or external_id = ?)
         order by created_at, id limit 1`,
        [organizationId, exceptId, userName, externalId],
      );
      return row === undefined ? null : toPerson(row);
    },

    /** Finds the deleted person who returns under the external id or, failing that, under the user name. */
    async findDeleted(
      organizationId: string,
      { userName, externalId }: PersonNames,
    ): Promise<DirectoryPerson | null> {
      const [row] = await uncheckedRowsOf<PersonRow>(
        handle,
        `select * from directory_people
         where organization_id = ? and deleted_at is not null and (lower(user_name) = lower(?) or external_id = ?)
         order by external_id is not distinct from ? desc, deleted_at desc, id limit 1`,
        [organizationId, userName, externalId, externalId],
      );
      return row === undefined ? null : toPerson(row);
    },

    /** Lists living people, oldest first. */
    async list(
      organizationId: string,
      condition: Sql,
      page: DirectoryPage,
    ): Promise<{ people: DirectoryPerson[]; totalCount: number }> {
      const found = await readDirectoryPage<PersonRow>(
        handle,
        'directory_people',
        organizationId,
        condition,
        page,
      );
      return { people: found.rows.map(toPerson), totalCount: found.totalCount };
    },
  };
}

const REMEMBER_NAMES = rememberNames({
  from: '(select * from directory_people where id = cast(:id as uuid)) d',
  userName: 'cast(:userName as text)',
  externalId: 'cast(:externalId as text)',
});

function namesOf({ userName, externalId }: PersonNames): PersonNames {
  return { userName, externalId };
}

function columnsOf({ externalId, userName, email, givenName, familyName, active }: PersonFacts) {
  return {
    external_id: externalId,
    user_name: userName,
    email,
    given_name: givenName,
    family_name: familyName,
    active,
  };
}

function toPerson(row: PersonRow): DirectoryPerson {
  return {
    id: row.id,
    organizationId: row.organization_id,
    userId: row.user_id,
    sourceId: row.source_id,
    externalId: row.external_id,
    userName: row.user_name,
    email: row.email,
    givenName: row.given_name,
    familyName: row.family_name,
    active: row.active,
    resource: row.resource,
    version: Number(row.version),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
