/** Stores the end users of organizations. */
import type { EndUser } from '../../domain/accounts/end-user.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';

export interface EndUserFilter {
  /** Selects exactly this user. */
  user?: string | undefined;
  includeInactive: boolean;
}

interface EndUserRow {
  organization_id: string;
  external_user: string;
  is_active: boolean;
  created_at: Date;
  updated_at: Date;
}

/** Stores registered end users. An organization sees only its own. */
export function createEndUserStore(handle: Handle) {
  return {
    ...endUserReads(handle),

    /**
     * Registers the end user, or activates an inactive one. Returns null if the end user is active already. Call it
     * inside a transaction, which blocks other registrations of the organization until its end.
     */
    async register(organizationId: string, user: string): Promise<EndUser | null> {
      await handle.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [
        `end_users ${organizationId}`,
      ]);
      const [row] = await uncheckedRowsOf<EndUserRow>(
        handle,
        `insert into end_users (organization_id, external_user, created_at, updated_at)
         select ?, ?, at, at from clock_timestamp() at
         on conflict (organization_id, external_user) do update set is_active = true, updated_at = excluded.updated_at
           where not end_users.is_active
         returning *`,
        [organizationId, user],
      );
      return row === undefined ? null : toEndUser(row);
    },

    /** Activates or deactivates an end user. Returns null if there is none. */
    async setActive(organizationId: string, user: string, isActive: boolean): Promise<EndUser | null> {
      const [row] = await uncheckedRowsOf<EndUserRow>(
        handle,
        `update end_users set is_active = ?, updated_at = clock_timestamp()
         where organization_id = ? and external_user = ? returning *`,
        [isActive, organizationId, user],
      );
      return row === undefined ? null : toEndUser(row);
    },

    /** Returns the end user and locks it until the commit. */
    async lock(organizationId: string, user: string): Promise<EndUser | null> {
      const row = await handle<EndUserRow>('end_users')
        .where({ organization_id: organizationId, external_user: user })
        .forNoKeyUpdate()
        .first();
      return row === undefined ? null : toEndUser(row);
    },
  };
}

/** Builds the methods that read end users. */
function endUserReads(handle: Handle) {
  return {
    async find(organizationId: string, user: string): Promise<EndUser | null> {
      const row = await handle<EndUserRow>('end_users')
        .where({ organization_id: organizationId, external_user: user })
        .first();
      return row === undefined ? null : toEndUser(row);
    },

    /**
     * Lists end users, the oldest first. `register` orders an organization's commits by their times, so new end users
     * come last and a caller who reads all pages sees each end user once.
     */
    async list(
      organizationId: string,
      { user, includeInactive }: EndUserFilter,
      { limit, offset }: { limit: number; offset: number },
    ): Promise<{ endUsers: EndUser[]; totalCount: number }> {
      const where = `organization_id = ? ${user === undefined ? '' : 'and external_user = ?'}
        ${includeInactive ? '' : 'and is_active'}`;
      const bindings = [organizationId, ...(user === undefined ? [] : [user])];
      const rows = await uncheckedRowsOf<EndUserRow>(
        handle,
        `select * from end_users where ${where} order by created_at, external_user limit ? offset ?`,
        [...bindings, limit, offset],
      );
      const [count] = await uncheckedRowsOf<{ n: string }>(
        handle,
        `select count(*) n from end_users where ${where}`,
        bindings,
      );
      return { endUsers: rows.map(toEndUser), totalCount: Number(count?.n ?? 0) };
    },
  };
}

function toEndUser(row: EndUserRow): EndUser {
  return {
    externalUser: row.external_user,
    isActive: row.is_active,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
