/** Creates an observability destination that begins at the end of its workspace's log. */
import { createAuditStore } from '../../db/accounts/audit-store.ts';
import { createDestinationStore } from '../../db/broadcast/destination-store.ts';
import { createHeadStore } from '../../db/broadcast/head-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { createWorkspaceStore } from '../../db/accounts/workspace-store.ts';
import type { DestinationConfig } from '../../domain/broadcast/destination-config.ts';
import { type DestinationSettings, MAX_DESTINATIONS_OF_TYPE } from '../../domain/broadcast/destination.ts';
import { AppError, type Issue } from '../../domain/errors.ts';
import { newUuid } from '../../domain/ids.ts';
import { actorOf, type Caller } from '../../domain/principal.ts';
import type { Encryption } from '../../platform/encryption.ts';
import { doOnce, type OnceAnswer, type OnceOptions } from '../answer-once.ts';
import { defaultWorkspaceId } from '../accounts/workspaces/find-workspace.ts';
import type { WorkspaceSettingsCache } from '../accounts/workspaces/workspace-settings-cache.ts';
import { requireFound } from '../require-found.ts';
import { checkDraft, issuesOfRules } from './destination-issues.ts';
import { sealConfig } from './sealed-config.ts';
import { showDestination, type ShownDestination } from './shown-destination.ts';

export interface DestinationDraft extends DestinationSettings {
  config: DestinationConfig;
  /** The workspace; the organization's default one when absent. */
  workspaceId?: string;
}

export interface CreateDestinationDeps {
  knex: Handle;
  encryption: Pick<Encryption, 'seal' | 'open'>;
  /** Throws for a URL that will certainly be refused when it is called. */
  checkUrl(url: string): void;
  /** The cached settings of workspaces in this process. They contain whether a workspace has destinations. */
  settings: Pick<WorkspaceSettingsCache, 'forget'>;
}

const OPERATION = 'createObservabilityDestination';

/**
 * Creates a destination that begins at the current position of its workspace's log. Throws a 400 with all rules that
 * the draft breaks, and 409 above the limit of destinations of a type.
 */
export async function createDestination(
  deps: CreateDestinationDeps,
  caller: Caller,
  draft: DestinationDraft,
  once: OnceOptions<ShownDestination>,
): Promise<OnceAnswer> {
  const { knex } = deps;
  const { organizationId } = caller.principal;
  const workspaceId = draft.workspaceId ?? (await defaultWorkspaceId(knex, organizationId));
  const scope = { organizationId, workspaceId, operation: OPERATION };
  const check = () => issuesOfRules(knex, organizationId, draft);
  const make = (transaction: Handle, issues: Issue[]) =>
    insert(deps, transaction, caller, { ...draft, workspaceId }, issues);
  try {
    return await doOnce({ knex, scope, check, make }, once);
  } finally {
    deps.settings.forget(workspaceId.toLowerCase());
  }
}

async function insert(
  { encryption, checkUrl }: CreateDestinationDeps,
  transaction: Handle,
  caller: Caller,
  { config: given, workspaceId, ...settings }: DestinationDraft & { workspaceId: string },
  issuesOfSettings: readonly Issue[],
): Promise<ShownDestination> {
  const { organizationId } = caller.principal;
  const { type } = given;
  const locked = await createWorkspaceStore(transaction).lock(organizationId, { id: workspaceId });
  const { config, workspace } = checkDraft(checkUrl, given, locked, issuesOfSettings);
  const store = createDestinationStore(transaction);
  if ((await store.countOfType(workspace.id, type)) >= MAX_DESTINATIONS_OF_TYPE) throw tooMany();
  const id = newUuid();
  const sealed = sealConfig(encryption, id, { type, config });
  const made = await store.insert({
    ...settings,
    ...sealed,
    id,
    organizationId,
    workspaceId: workspace.id,
    type,
  });
  const target = `observability/destinations/${id}`;
  await createAuditStore(transaction).insert(actorOf(caller), { action: OPERATION, target });
  // Lock the heads last, because the ledger waits for this lock.
  const heads = createHeadStore(transaction);
  await heads.startLogging(workspace.id);
  await heads.startCursors(id, workspace.id);
  return requireFound(await showDestination(transaction, made));
}

function tooMany(): AppError {
  return new AppError('conflict', {
    reason: 'too_many_destinations',
    retryable: false,
    issues: [{ path: 'body.type', message: `must not be the type of ${MAX_DESTINATIONS_OF_TYPE} others` }],
  });
}
