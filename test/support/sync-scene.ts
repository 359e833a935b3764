import { createJobStore, type NewSyncJob } from '../../db/directory/job-store.ts';
import { bridged, uncheckedRowsOf } from './knex-bridge.ts';
import { createSourceStore } from '../../db/directory/source-store.ts';
import { createSyncSweepStore } from '../../db/directory/sync-sweep-store.ts';
import { int4 } from '../../db/postgres/shape.ts';
import { rowsOf } from '../../db/postgres/statement.ts';
import type { Handle } from './open-database.ts';
import type { SyncJob } from '../../domain/directory/job.ts';
import { sourceTokenContext } from '../../domain/directory/source.ts';
import { newUuid } from '../../domain/ids.ts';
import type { WorkspaceRole } from '../../domain/accounts/workspace-member.ts';
import { createEncryption, type Encryption } from '../../platform/encryption.ts';
import { createLogger } from '../../platform/logger.ts';
import { createOutboundGuard } from '../../platform/outbound-guard.ts';
import { renderRemovalsHeld } from '../../contract/directory/removals-held-event.ts';
import { createSourceOpener } from '../../services/directory/sources/open-source.ts';
import type { SourceTimes } from '../../services/directory/sources/scim/scim-client.ts';
import { applyDirectory } from '../../services/directory/sync/apply-directory.ts';
import { claimSync } from '../../services/directory/sync/begin-sync.ts';
import { compareDirectory } from '../../services/directory/sync/compare-directory.ts';
import { failSync, finishSync } from '../../services/directory/sync/end-sync.ts';
import { readSource } from '../../services/directory/sync/read-source.ts';
import type { RunRef, Slice, SyncDeps } from '../../services/directory/sync/sync-deps.ts';
import { createDirectoryScene, type DirectoryOrganization, type DirectoryScene } from './directory-scene.ts';
import { type ScimSource, somePeople, startScimSource } from './scim-source.ts';
import { STAGED_ROWS } from './syncs.ts';

/** Waits are short, so that a source that fails does not hold the tests. */
const TIMES: SourceTimes = { requestMs: 1_000, retryMs: [1, 1], longestWaitMs: 50 };

export interface SyncScene {
  directory: DirectoryScene;
  source: ScimSource;
  deps: SyncDeps;
  newSynced(): Promise<SyncedOrganization>;
  /** Resets the source to so many people, and returns an organization that has read them. */
  newRead(people: number): Promise<SyncedOrganization>;
  close(): Promise<void>;
}

export interface SyncedOrganization extends DirectoryOrganization {
  /** Sets the source to read, this one when absent. */
  connect(baseUrl?: string): Promise<void>;
  begin(changes?: Partial<NewSyncJob>): Promise<SyncJob>;
  /** Begins a job and makes its run, as the workflow does. */
  sync(changes?: Partial<NewSyncJob>): Promise<SyncJob>;
  /** Begins a job and makes its run up to the comparison. */
  planSync(changes?: Partial<NewSyncJob>): Promise<RunRef>;
  /** Makes a run that takes the job over from a lost one. */
  goOn(jobId: string): Promise<SyncJob>;
  /** Makes the rest of a run that is planned. */
  applySync(ref: RunRef): Promise<SyncJob>;
  job(id: string): Promise<SyncJob>;
  /** Maps every group to a workspace, and leaves what follows to the next run. */
  mapAll(workspaceId: string, role: WorkspaceRole): Promise<void>;
  /** The addresses and roles that the directory gives in a workspace. */
  workspaceMembers(workspaceId: string): Promise<string[]>;
  /** The addresses of the members that there are. */
  memberNames(): Promise<string[]>;
  /** How many rows are staged or planned. */
  leftovers(): Promise<number>;
}

/** A directory in Postgres and a source over HTTP; runs are made without Temporal. */
export async function createSyncScene(): Promise<SyncScene> {
  const directory = await createDirectoryScene();
  const source = await startScimSource();
  const encryption = createEncryption({
    currentKeyId: 'test',
    keys: new Map([['test', Buffer.alloc(32, 1)]]),
  });
  const guard = createOutboundGuard({ allow: ['127.0.0.0/8'] });
  const deps: SyncDeps = {
    knex: directory.knex,
    openSource: createSourceOpener({ guard, encryption, times: TIMES }),
    renderRemovalsHeld,
    logger: createLogger({ level: 'fatal', name: 'test' }),
  };
  const newSynced = async (): Promise<SyncedOrganization> =>
    syncOrganization({ deps, source, encryption }, await directory.newOrganization());
  return {
    directory,
    source,
    deps,
    newSynced,
    async newRead(people) {
      Object.assign(source, { groups: [], calls: [], fault: undefined, pageSize: 20, canFilter: true });
      source.people = somePeople(people);
      source.render = (resource) => resource;
      const organization = await newSynced();
      await organization.connect();
      const { state } = await organization.sync();
      if (state !== 'succeeded') throw new Error(`the first sync is ${state}`);
      source.calls.length = 0;
      return organization;
    },
    async close() {
      await guard.close();
      await source.close();
      await directory.close();
    },
  };
}

interface SyncParts {
  deps: SyncDeps;
  source: ScimSource;
  encryption: Encryption;
}

function syncOrganization(
  { deps, source, encryption }: SyncParts,
  organization: DirectoryOrganization,
): SyncedOrganization {
  const { id: organizationId } = organization;
  const knex = bridged(deps.knex);
  const job = async (id: string): Promise<SyncJob> => (await createJobStore(knex).find(organizationId, id))!;
  const begin = (changes?: Partial<NewSyncJob>): Promise<SyncJob> => beginJob(knex, organizationId, changes);
  const run = async (jobId: string): Promise<SyncJob> => {
    const ref = { jobId, runId: newUuid() };
    if (await planRun(deps, ref)) await applyRun(deps, ref);
    return job(jobId);
  };
  return {
    ...organization,
    ...readDirectory(knex, organizationId),
    async connect(baseUrl = source.baseUrl) {
      const sealedToken = encryption.seal(source.token, sourceTokenContext(organizationId));
      await putSource(knex, { organizationId, baseUrl, sealedToken });
    },
    begin,
    sync: async (changes) => run((await begin(changes)).id),
    async planSync(changes) {
      const ref = { jobId: (await begin(changes)).id, runId: newUuid() };
      await planRun(deps, ref);
      return ref;
    },
    async goOn(jobId) {
      await createSyncSweepStore(knex).release(jobId);
      return run(jobId);
    },
    async applySync(ref) {
      await applyRun(deps, ref);
      return job(ref.jobId);
    },
    job,
    async mapAll(workspaceId, role) {
      await knex.raw(
        `insert into directory_mappings (id, organization_id, group_id, workspace_id, role)
         select id, organization_id, id, ?, ? from directory_groups where organization_id = ?`,
        [workspaceId, role, organizationId],
      );
      await knex('directory_people').where({ organization_id: organizationId }).update({ pending: 'free' });
    },
  };
}

async function putSource(
  knex: Handle,
  source: { organizationId: string; baseUrl: string; sealedToken: string },
): Promise<void> {
  const store = createSourceStore(knex);
  const before = await store.findSealed(source.organizationId);
  await store.put(
    { ...source, type: 'scim', tokenHint: '4711', intervalMinutes: 60, disableKeys: 'all' },
    { isOther: before?.baseUrl !== source.baseUrl },
  );
}

async function beginJob(
  knex: Handle,
  organizationId: string,
  changes: Partial<NewSyncJob> = {},
): Promise<SyncJob> {
  const { type } = await createSourceStore(knex).find(organizationId);
  const begun = await createJobStore(knex).begin({
    organizationId,
    source: type,
    trigger: 'request',
    dryRun: false,
    allowDeletions: false,
    isFull: true,
    ...changes,
  });
  return begun.job;
}

/** Reads what syncs have written. */
function readDirectory(
  knex: Handle,
  organizationId: string,
): Pick<SyncedOrganization, 'memberNames' | 'workspaceMembers' | 'leftovers'> {
  return {
    async memberNames() {
      const rows = await uncheckedRowsOf<{ email: string }>(
        knex,
        `select email from organization_members m join users u on u.id = m.user_id
         where m.organization_id = ? order by email`,
        [organizationId],
      );
      return rows.map(({ email }) => email);
    },
    async workspaceMembers(workspaceId) {
      const rows = await uncheckedRowsOf<{ line: string }>(
        knex,
        `select email || ' ' || role line from directory_memberships m join users u on u.id = m.user_id
         where workspace_id = ? order by line`,
        [workspaceId],
      );
      return rows.map(({ line }) => line);
    },
    async leftovers() {
      const [row] = await rowsOf(knex, { n: int4 }, `select ${STAGED_ROWS} n`);
      return row!.n;
    },
  };
}

/** The first steps of a run in the order of the workflow. Returns whether there is something to apply. */
async function planRun(deps: SyncDeps, ref: RunRef): Promise<boolean> {
  const { reads } = await claimSync(deps.knex, ref);
  if (reads) {
    let read = await readSource(deps, ref, wholeSlice());
    while (read.kind === 'more') read = await readSource(deps, ref, wholeSlice());
    if (read.kind === 'failed') {
      await failSync(deps.knex, ref, read.reason);
      return false;
    }
  }
  const plan = await compareDirectory(deps, ref);
  if (plan.kind === 'failed') await failSync(deps.knex, ref, plan.reason);
  return plan.kind === 'apply';
}

async function applyRun(deps: SyncDeps, ref: RunRef): Promise<void> {
  const applied = await applyDirectory(deps, ref, wholeSlice());
  if (applied.kind === 'failed') return failSync(deps.knex, ref, applied.reason);
  await finishSync(deps, ref);
}

function wholeSlice(): Slice {
  const { signal } = new AbortController();
  return { untilMs: Infinity, stopRequested: signal, cut: signal };
}
