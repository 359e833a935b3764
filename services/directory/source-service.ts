/** Shows, sets and deletes the source of an organization's directory: pushed, or read from a SCIM server. */
import { createAuditStore } from '../../db/accounts/audit-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { createJobStore } from '../../db/directory/job-store.ts';
import { lockDirectory } from '../../db/accounts/lock-directory.ts';
import { createSourceStateReadModel, type HeldRemovals } from '../../db/directory/source-state-read-model.ts';
import {
  createSourceStore,
  type SealedSource,
  type SourceSettings,
} from '../../db/directory/source-store.ts';
import type { SyncJob } from '../../domain/directory/job.ts';
import {
  DEFAULT_INTERVAL_MINUTES,
  type DirectorySource,
  type DisableKeys,
  sourceTokenContext,
} from '../../domain/directory/source.ts';
import { AppError, invalidRequest } from '../../domain/errors.ts';
import { endOfSecret } from '../../domain/masked-secret.ts';
import type { Actor } from '../../domain/principal.ts';
import type { Encryption } from '../../platform/encryption.ts';
import { type CheckUrl, issueOfBaseUrl } from '../endpoints/check-base-url.ts';
import { originOf } from '../endpoints/origin-of.ts';

export type SourceDraft =
  | { type: 'pushed'; disableKeys: DisableKeys }
  | {
      type: 'scim';
      baseUrl: string;
      /** The token; when absent, the stored one stays. */
      token?: string | undefined;
      intervalMinutes: number;
      disableKeys: DisableKeys;
    };

/** A source with the state of the directory. */
export interface ShownSource {
  source: DirectorySource;
  lastJob: SyncJob | null;
  managedPeople: number;
  held: HeldRemovals;
}

export interface SourceServiceDeps {
  knex: Handle;
  encryption: Pick<Encryption, 'seal'>;
  checkUrl: CheckUrl;
}

const TARGET = 'scim/source';

/** Creates the operations on the source of an organization. None of them removes a member. */
export function createSourceService(deps: SourceServiceDeps) {
  const { knex } = deps;
  return {
    get: (organizationId: string): Promise<ShownSource> => show(knex, organizationId),
    /**
     * Replaces the settings. Throws 400 for an address that the outbound guard refuses, and for a missing token when
     * none is stored for the address.
     */
    async set(actor: Actor, draft: SourceDraft): Promise<ShownSource> {
      const { organizationId } = actor;
      await knex.transaction(async (transaction) => {
        await lockDirectory(transaction, organizationId);
        const store = createSourceStore(transaction);
        const before = await store.findSealed(organizationId);
        const settings = settingsOf(deps, organizationId, draft, before);
        const isOther = before?.type !== settings.type || before.baseUrl !== settings.baseUrl;
        await store.put(settings, { isOther });
        await createAuditStore(transaction).insert(actor, { action: 'setScimSource', target: TARGET });
      });
      return show(knex, organizationId);
    },
    /** Deletes the settings. Throws 404 when there are none. */
    async remove(actor: Actor): Promise<void> {
      await knex.transaction(async (transaction) => {
        await lockDirectory(transaction, actor.organizationId);
        if (!(await createSourceStore(transaction).delete(actor.organizationId)))
          throw new AppError('not_found');
        await createAuditStore(transaction).insert(actor, { action: 'deleteScimSource', target: TARGET });
      });
    },
  };
}

async function show(knex: Handle, organizationId: string): Promise<ShownSource> {
  const state = createSourceStateReadModel(knex);
  return {
    source: await createSourceStore(knex).find(organizationId),
    lastJob: await createJobStore(knex).findNewest(organizationId),
    managedPeople: await state.countManaged(organizationId),
    held: await state.heldRemovals(organizationId),
  };
}

function settingsOf(
  deps: SourceServiceDeps,
  organizationId: string,
  draft: SourceDraft,
  before: SealedSource | null,
): SourceSettings {
  const { type, disableKeys } = draft;
  if (type === 'pushed') {
    const none = { baseUrl: null, sealedToken: null, tokenHint: null };
    return { organizationId, type, disableKeys, ...none, intervalMinutes: DEFAULT_INTERVAL_MINUTES };
  }
  const { intervalMinutes } = draft;
  const baseUrl = normalBaseUrl(deps.checkUrl, draft.baseUrl);
  const secret = secretOf(deps, organizationId, { ...draft, baseUrl }, before);
  return { organizationId, type, disableKeys, baseUrl, ...secret, intervalMinutes };
}

/** Returns the address without a slash at its end. */
function normalBaseUrl(checkUrl: CheckUrl, url: string): string {
  const issue = issueOfBaseUrl(checkUrl, url);
  if (issue !== undefined) throw invalidRequest(issue);
  return new URL(url).href.replace(/\/+$/, '');
}

function secretOf(
  { encryption }: SourceServiceDeps,
  organizationId: string,
  { token, baseUrl }: { token?: string | undefined; baseUrl: string },
  before: SealedSource | null,
): Pick<SourceSettings, 'sealedToken' | 'tokenHint'> {
  if (token !== undefined) {
    const sealedToken = encryption.seal(token, sourceTokenContext(organizationId));
    return { sealedToken, tokenHint: endOfSecret(token) };
  }
  const isSameOrigin = typeof before?.baseUrl === 'string' && originOf(before.baseUrl) === originOf(baseUrl);
  if (isSameOrigin) return { sealedToken: before.sealedToken, tokenHint: before.tokenHint };
  const message = 'is required: no token is stored for this address';
  throw invalidRequest({ path: 'body.token', message });
}

export type SourceService = ReturnType<typeof createSourceService>;
