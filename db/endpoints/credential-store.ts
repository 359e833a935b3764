/** Stores the vendor keys that customers bring, and their order. */
import { MAX_SORT_ORDER } from '../../domain/endpoints/byok-credential.ts';
import type { Handle } from '../postgres/connection.ts';
import { columnsOf, int4, int8, selectList, uuid } from '../postgres/shape.ts';
import { sql, type Sql, trustedText } from '../postgres/sql-text.ts';
import { rowsOf, run, tables } from '../postgres/statement.ts';
import { CREDENTIAL, type CredentialColumns, type SealedCredential } from './credential-rows.ts';

/** A new credential. Its place in the order is computed from the stored ones. */
export type NewCredential = Omit<SealedCredential, 'sortOrder' | 'createdAt'>;

/** The credentials that share one limit and one order. A null workspace means the organization-wide ones. */
export interface CredentialSet {
  organizationId: string;
  workspaceId: string | null;
}

export interface CredentialFilter {
  /** Organization-wide credentials are included, because the workspace uses them. */
  workspaceId: string;
  providerSlug?: string | undefined;
}

/** Stores customers' vendor keys, encrypted. An organization sees only its own. */
export function createCredentialStore(handle: Handle) {
  return {
    ...credentialReads(handle),
    ...credentialRemovals(handle),

    /** Inserts a credential at the end of its set. The caller holds the lock of the set. */
    async insert(credential: NewCredential): Promise<SealedCredential> {
      const [last] = await rowsOf(
        handle,
        { sortOrder: int4.orNull },
        sql`select max(sort_order) "sortOrder" from byok_credentials where ${inSet(credential)}`,
      );
      const now = tables.raw('clock_timestamp()');
      const columns = {
        ...columnsOf(credential),
        sort_order: Math.min((last?.sortOrder ?? -1) + 1, MAX_SORT_ORDER),
        created_at: now,
        updated_at: now,
      };
      const inserting = tables('byok_credentials').insert(columns).returning(tables.raw(COLUMNS));
      const [inserted] = await rowsOf(handle, CREDENTIAL, inserting);
      if (inserted === undefined) throw new Error('insert returned no row');
      return inserted;
    },

    async update(id: string, changes: CredentialColumns): Promise<SealedCredential> {
      const columns = { ...columnsOf(changes), updated_at: tables.raw('clock_timestamp()') };
      const updating = tables('byok_credentials')
        .where({ id })
        .update(columns)
        .returning(tables.raw(COLUMNS));
      const [updated] = await rowsOf(handle, CREDENTIAL, updating);
      if (updated === undefined) throw new Error('update found no row');
      return updated;
    },
  };
}

/** Builds the methods that read credentials. */
function credentialReads(handle: Handle) {
  return {
    async find(organizationId: string, id: string): Promise<SealedCredential | null> {
      const [credential] = await rowsOf(handle, CREDENTIAL, FIND, { organizationId, id });
      return credential ?? null;
    },

    /** Returns a credential and locks it until the commit. */
    async lock(organizationId: string, id: string): Promise<SealedCredential | null> {
      const statement = `${FIND} for no key update`;
      const [credential] = await rowsOf(handle, CREDENTIAL, statement, { organizationId, id });
      return credential ?? null;
    },

    /** Makes other transactions that add organization-wide credentials wait until the commit. */
    async lockOrganizationWide(organizationId: string): Promise<void> {
      const name = `byok_credentials ${organizationId}`;
      await run(handle, 'select pg_advisory_xact_lock(hashtextextended(:name, 0))', { name });
    },

    /** Lists credentials in the order in which they are tried. */
    async list(
      organizationId: string,
      { workspaceId, providerSlug }: CredentialFilter,
      { limit, offset }: { limit: number; offset: number },
    ): Promise<{ credentials: SealedCredential[]; totalCount: number }> {
      const ofProvider = providerSlug === undefined ? sql`` : sql`and provider_slug = ${providerSlug}`;
      const filtered = sql`from byok_credentials where organization_id = ${organizationId}
        and (workspace_id = ${workspaceId} or workspace_id is null) ${ofProvider}`;
      const rows = await rowsOf(
        handle,
        CREDENTIAL,
        sql`select ${trustedText(COLUMNS)} ${filtered}
          order by sort_order, created_at, id limit ${limit} offset ${offset}`,
      );
      const [count] = await rowsOf(handle, { n: int8 }, sql`select count(*) n ${filtered}`);
      return { credentials: rows, totalCount: Number(count?.n ?? 0) };
    },

    async count(set: CredentialSet): Promise<number> {
      const statement = sql`select count(*) n from byok_credentials where ${inSet(set)}`;
      const [count] = await rowsOf(handle, { n: int8 }, statement);
      return Number(count?.n ?? 0);
    },
  };
}

const COLUMNS = selectList(CREDENTIAL);
const FIND = `select ${COLUMNS} from byok_credentials where organization_id = :organizationId and id = :id`;

/** Builds the methods that delete credentials. */
function credentialRemovals(handle: Handle) {
  return {
    /** Deletes the row with its secret. Returns whether the organization had the credential. */
    async delete(organizationId: string, id: string): Promise<boolean> {
      const statement = 'delete from byok_credentials where organization_id = :organizationId and id = :id';
      return (await run(handle, statement, { organizationId, id })) > 0;
    },

    /** Deletes the credentials of a workspace and returns their ids. */
    async deleteAllOf(workspaceId: string): Promise<string[]> {
      const rows = await rowsOf(
        handle,
        { id: uuid },
        'delete from byok_credentials where workspace_id = :workspaceId returning id',
        { workspaceId },
      );
      return rows.map(({ id }) => id);
    },
  };
}

function inSet({ organizationId, workspaceId }: CredentialSet): Sql {
  const place = workspaceId === null ? sql`workspace_id is null` : sql`workspace_id = ${workspaceId}`;
  return sql`organization_id = ${organizationId} and ${place}`;
}
