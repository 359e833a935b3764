/** Manages the observability destinations of an organization. */
import {
  createDeliveryHistory,
  type ShownAttempt,
  type ShownDeadLetter,
} from '../../db/broadcast/delivery-history.ts';
import type { StoredDestination } from '../../db/broadcast/destination-rows.ts';
import type { DeadLetterSelection } from '../../db/broadcast/dead-letter-store.ts';
import { createDestinationStore } from '../../db/broadcast/destination-store.ts';
import type { Issue } from '../../domain/errors.ts';
import type { Actor, Caller } from '../../domain/principal.ts';
import type { Encryption } from '../../platform/encryption.ts';
import type { OnceAnswer, OnceOptions } from '../answer-once.ts';
import { queriedWorkspaceId } from '../accounts/workspaces/find-workspace.ts';
import type { Page } from '../accounts/workspaces/workspace-service.ts';
import { requireFound, requireId } from '../require-found.ts';
import {
  createDestination,
  type CreateDestinationDeps,
  type DestinationDraft,
} from './create-destination.ts';
import { issuesOfRules } from './destination-issues.ts';
import type { TestAnswer } from './destinations/destination-adapter.ts';
import { type Preview, previewDestination, previewStoredDestination } from './preview-destination.ts';
import {
  removeDestination,
  type DestinationChanges,
  updateDestination,
  replayDeadLetters,
} from './update-destination.ts';
import { showDestination, showDestinations, type ShownDestination } from './shown-destination.ts';
import { tryDestination, type TryDestinationDeps } from './try-destination.ts';

export interface DestinationServiceDeps extends CreateDestinationDeps, TryDestinationDeps {
  encryption: Pick<Encryption, 'seal' | 'open'>;
  /** Notifies the delivery of a destination that the destination was changed or deleted. Must not throw. */
  changed(destinationId: string): void;
}

/**
 * Manages the tools to which the workspaces of an organization forward their generations. Any other id gets a 404. Each
 * write leaves an audit row. A change applies in this process at once and in the others within a second, when the
 * notice arrives.
 */
export function createDestinationService(deps: DestinationServiceDeps) {
  const { knex, settings, changed } = deps;
  const store = createDestinationStore(knex);

  return {
    ...destinationHistory(deps),

    /** Lists destinations, the oldest first. Throws 400 for a workspace that the organization does not have. */
    async list(
      organizationId: string,
      { workspaceId: requestedId, ...page }: Page & { workspaceId?: string | undefined },
    ): Promise<{ destinations: ShownDestination[]; totalCount: number }> {
      const workspaceId = await queriedWorkspaceId(knex, organizationId, requestedId);
      const { destinations, totalCount } = await store.list(workspaceId, page);
      return { destinations: await showDestinations(knex, destinations), totalCount };
    },

    async get(organizationId: string, id: string): Promise<ShownDestination> {
      return requireFound(await showDestination(knex, await find(deps, organizationId, id)));
    },

    /** Creates a destination; see `createDestination`. */
    create: (
      caller: Caller,
      draft: DestinationDraft,
      once: OnceOptions<ShownDestination>,
    ): Promise<OnceAnswer> => createDestination(deps, caller, draft, once),

    /**
     * Changes a destination; see `updateDestination`. `known` are broken rules that the caller has found before; the
     * 400 names them too.
     */
    async update(
      actor: Actor,
      id: string,
      changes: DestinationChanges,
      known: readonly Issue[],
    ): Promise<ShownDestination> {
      const rules = await issuesOfRules(knex, actor.organizationId, changes);
      const destination = await knex.transaction((transaction) =>
        updateDestination(deps, transaction, actor, requireId(id), changes, [...known, ...rules]),
      );
      settings.forget(destination.workspaceId);
      changed(destination.id);
      return destination;
    },

    async remove(actor: Actor, id: string): Promise<void> {
      const workspaceId = await knex.transaction((transaction) =>
        removeDestination(transaction, actor, requireId(id)),
      );
      settings.forget(workspaceId);
      changed(id.toLowerCase());
    },

    /** Sends a test to a destination; see `tryDestination`. */
    test: async (organizationId: string, id: string, gone: AbortSignal): Promise<TestAnswer> =>
      tryDestination(deps, await find(deps, organizationId, id), gone),

    /** Shows what a destination would receive; see `previewDestination`. */
    preview: (organizationId: string, draft: DestinationDraft, generationId: string): Promise<Preview> =>
      previewDestination(deps, organizationId, draft, generationId),

    /** Shows what an existing destination would receive; see `previewStoredDestination`. */
    previewStored: async (organizationId: string, id: string, generationId: string): Promise<Preview> =>
      previewStoredDestination(deps, await find(deps, organizationId, id), generationId),
  };
}

/** Builds the methods that show past deliveries and repeat failed ones. */
function destinationHistory(deps: DestinationServiceDeps) {
  const { knex, changed } = deps;
  const history = createDeliveryHistory(knex);
  return {
    /** Lists attempts, the newest first. */
    async listAttempts(
      organizationId: string,
      id: string,
      page: Page,
    ): Promise<{ attempts: ShownAttempt[]; totalCount: number }> {
      return history.attempts((await find(deps, organizationId, id)).id, page);
    },

    /** Lists dead letters, the newest first. */
    async listDeadLetters(
      organizationId: string,
      id: string,
      page: Page & { since?: Date | undefined },
    ): Promise<{ deadLetters: ShownDeadLetter[]; totalCount: number }> {
      return history.deadLetters((await find(deps, organizationId, id)).id, page);
    },

    /** Sends dead letters again; see `replayDeadLetters`. */
    async replay(actor: Actor, id: string, selection: DeadLetterSelection): Promise<number> {
      const count = await knex.transaction((transaction) =>
        replayDeadLetters(transaction, actor, requireId(id), selection),
      );
      if (count > 0) changed(id.toLowerCase());
      return count;
    },
  };
}

async function find(
  deps: DestinationServiceDeps,
  organizationId: string,
  id: string,
): Promise<StoredDestination> {
  return requireFound(await createDestinationStore(deps.knex).find(organizationId, requireId(id)));
}

export type DestinationService = ReturnType<typeof createDestinationService>;
