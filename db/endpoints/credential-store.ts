/** Stores the vendor keys that customers bring, and their order. */
import { MAX_SORT_ORDER } from '../../domain/endpoints/byok-credential.ts';
import type { Handle } from '../postgres/connection.ts';
import { anyRows, countRows, firstRow, idsOf, lockName, oneRow } from '../postgres/results.ts';
import { columnsOf, int4, selectList } from '../postgres/shape.ts';
import { sql, type Sql, trustedText } from '../postgres/sql-text.ts';
import { rowsOf, tables } from '../postgres/statement.ts';
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
      return oneRow(handle, CREDENTIAL, inserting);
    },

    async update(id: string, changes: CredentialColumns): Promise<SealedCredential> {
      const columns = { ...columnsOf(changes), updated_at: tables.raw('clock_timestamp()') };
      const updating = tables('byok_credentials')
        .where({ id })
        .update(columns)
        .returning(tables.raw(COLUMNS));
      return oneRow(handle, CREDENTIAL, updating);
    },
  };
}

/** Builds the methods that read credentials. */
function credentialReads(handle: Handle) {
  return {
    find: (organizationId: string, id: string): Promise<SealedCredential | null> =>
      firstRow(handle, CREDENTIAL, FIND, { organizationId, id }),

    /** Returns a credential and locks it until the commit. */
    async lock(organizationId: string, id: string): Promise<SealedCredential | null> {
      const statement = `${FIND} for no key update`;
      return firstRow(handle, CREDENTIAL, statement, { organizationId, id });
    },

    /** Makes other transactions that add organization-wide credentials wait until the commit. */
    async lockOrganizationWide(organizationId: string): Promise<void> {
      await lockName(handle, `byok_credentials ${organizationId}`);
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
      return { credentials: rows, totalCount: await countRows(handle, filtered) };
    },

    count: (set: CredentialSet): Promise<number> =>
      countRows(handle, sql`from byok_credentials where ${inSet(set)}`),
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
      return anyRows(handle, statement, { organizationId, id });
    },

    /** Deletes the credentials of a workspace and returns their ids. */
    deleteAllOf: (workspaceId: string): Promise<string[]> =>
      idsOf(handle, 'delete from byok_credentials where workspace_id = :workspaceId returning id', {
        workspaceId,
      }),
  };
}

function inSet({ organizationId, workspaceId }: CredentialSet): Sql {
  const place = workspaceId === null ? sql`workspace_id is null` : sql`workspace_id = ${workspaceId}`;
  return sql`organization_id = ${organizationId} and ${place}`;
}
