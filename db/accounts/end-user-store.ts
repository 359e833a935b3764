/** Stores the end users of organizations. */
import type { EndUser } from '../../domain/accounts/end-user.ts';
import type { Handle } from '../postgres/connection.ts';
import { countRows, firstRow, lockName } from '../postgres/results.ts';
import { bool, selectList, text, timestamptz } from '../postgres/shape.ts';
import { joined, sql, trustedText } from '../postgres/sql-text.ts';
import { rowsOf } from '../postgres/statement.ts';

export interface EndUserFilter {
  /** Selects exactly this user. */
  user?: string | undefined;
  includeInactive: boolean;
}

const END_USER = { externalUser: text, isActive: bool, createdAt: timestamptz, updatedAt: timestamptz };
const COLUMNS = selectList(END_USER);
const NAMED = `select ${COLUMNS} from end_users where organization_id = :organizationId and external_user = :user`;

/** Stores registered end users. An organization sees only its own. */
export function createEndUserStore(handle: Handle) {
  return {
    ...endUserReads(handle),

    /**
     * Registers the end user, or activates an inactive one. Returns null if the end user is active already. Call it
     * inside a transaction, which blocks other registrations of the organization until its end.
     */
    async register(organizationId: string, user: string): Promise<EndUser | null> {
      await lockName(handle, `end_users ${organizationId}`);
      return firstRow(
        handle,
        END_USER,
        `insert into end_users (organization_id, external_user, created_at, updated_at)
         select :organizationId, :user, at, at from clock_timestamp() at
         on conflict (organization_id, external_user) do update set is_active = true, updated_at = excluded.updated_at
           where not end_users.is_active
         returning ${COLUMNS}`,
        { organizationId, user },
      );
    },

    /** Activates or deactivates an end user. Returns null if there is none. */
    setActive: (organizationId: string, user: string, isActive: boolean): Promise<EndUser | null> =>
      firstRow(
        handle,
        END_USER,
        `update end_users set is_active = :isActive, updated_at = clock_timestamp()
         where organization_id = :organizationId and external_user = :user returning ${COLUMNS}`,
        { organizationId, user, isActive },
      ),

    /** Returns the end user and locks it until the commit. */
    async lock(organizationId: string, user: string): Promise<EndUser | null> {
      const statement = `${NAMED} for no key update`;
      return firstRow(handle, END_USER, statement, { organizationId, user });
    },
  };
}

/** Builds the methods that read end users. */
function endUserReads(handle: Handle) {
  return {
    find: (organizationId: string, user: string): Promise<EndUser | null> =>
      firstRow(handle, END_USER, NAMED, { organizationId, user }),

    /**
     * Lists end users, the oldest first. `register` orders an organization's commits by their times, so new end users
     * come last and a caller who reads all pages sees each end user once.
     */
    async list(
      organizationId: string,
      { user, includeInactive }: EndUserFilter,
      { limit, offset }: { limit: number; offset: number },
    ): Promise<{ endUsers: EndUser[]; totalCount: number }> {
      const where = joined(
        [
          sql`from end_users where organization_id = ${organizationId}`,
          user === undefined ? undefined : sql`external_user = ${user}`,
          includeInactive ? undefined : sql`is_active`,
        ],
        ' and ',
      );
      const endUsers = await rowsOf(
        handle,
        END_USER,
        sql`select ${trustedText(COLUMNS)} ${where} order by created_at, external_user limit ${limit} offset ${offset}`,
      );
      return { endUsers, totalCount: await countRows(handle, where) };
    },
  };
}
