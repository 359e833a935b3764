/** Registers the end users of an organization, lists them, and makes them active or inactive. */
import { createAuditStore } from '../../db/accounts/audit-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { createEndUserStore } from '../../db/accounts/end-user-store.ts';
import { type EndUser, isAddressable } from '../../domain/accounts/end-user.ts';
import { AppError } from '../../domain/errors.ts';
import type { Actor } from '../../domain/principal.ts';
import { doOnce, type OnceOptions, type OnceAnswer } from '../answer-once.ts';
import { requireFound } from '../require-found.ts';

const REGISTER = 'createEndUser';

/**
 * Manages the end users that an organization registered. Registration and activity do not affect what requests may do.
 * An end user that is not registered gets a 404, and so do `.` and `..`, which no path can name. Each write leaves an
 * audit row.
 */
export function createEndUserService({ knex }: { knex: Handle }) {
  const store = createEndUserStore(knex);
  return {
    list: store.list,
    get: async (organizationId: string, user: string): Promise<EndUser> =>
      requireFound(await store.find(organizationId, addressable(user))),
    /**
     * Registers an end user. An inactive one becomes active again and keeps its time of creation. Throws 409 when it is
     * active already.
     */
    register(actor: Actor, user: string, once: OnceOptions<EndUser>): Promise<OnceAnswer> {
      const { organizationId } = actor;
      const scope = { organizationId, workspaceId: null, operation: REGISTER };
      const make = (transaction: Handle) => register(transaction, actor, user);
      return doOnce({ knex, scope, make }, once);
    },
    setActive: (actor: Actor, user: string, isActive: boolean): Promise<EndUser> =>
      knex.transaction(async (transaction) => {
        const endUsers = createEndUserStore(transaction);
        const endUser = requireFound(
          await endUsers.setActive(actor.organizationId, addressable(user), isActive),
        );
        await audit(transaction, actor, 'updateEndUser', user);
        return endUser;
      }),
    /** Makes an end user inactive. Does nothing when it is inactive already. */
    deactivate: (actor: Actor, user: string): Promise<void> =>
      knex.transaction(async (transaction) => {
        const endUsers = createEndUserStore(transaction);
        const endUser = requireFound(await endUsers.lock(actor.organizationId, addressable(user)));
        if (!endUser.isActive) return;
        await endUsers.setActive(actor.organizationId, user, false);
        await audit(transaction, actor, 'deleteEndUser', user);
      }),
  };
}

async function register(transaction: Handle, actor: Actor, user: string): Promise<EndUser> {
  const endUser = await createEndUserStore(transaction).register(actor.organizationId, user);
  if (endUser === null) {
    const publicMessage = 'The end user is already registered and active';
    throw new AppError('conflict', { reason: 'end_user_registered', retryable: false, publicMessage });
  }
  await audit(transaction, actor, REGISTER, user);
  return endUser;
}

async function audit(transaction: Handle, actor: Actor, action: string, user: string): Promise<void> {
  const target = `end-users/${encodeURIComponent(user)}`;
  await createAuditStore(transaction).insert(actor, { action, target });
}

function addressable(user: string): string {
  if (!isAddressable(user)) throw new AppError('not_found');
  return user;
}

export type EndUserService = ReturnType<typeof createEndUserService>;
