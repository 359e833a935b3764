/** Creates, lists, changes and archives presets, which are stored request settings of a workspace. */
import { createAuditStore } from '../../db/accounts/audit-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { createPresetStorageStore } from '../../db/presets/preset-storage-store.ts';
import { createPresetStore, type PresetPage, type PresetStore } from '../../db/presets/preset-store.ts';
import { AppError, invalidRequest } from '../../domain/errors.ts';
import {
  MAX_PRESET_BYTES,
  PRESET_SLUG_PATTERN,
  type Preset,
  type PresetChanges,
  type PresetDraft,
  type PresetVersion,
  type PresetWithVersion,
  storedBytes,
} from '../../domain/presets/preset.ts';
import { actorOf, type Caller, type Principal } from '../../domain/principal.ts';
import { doOnce, type OnceAnswer, type OnceOptions } from '../answer-once.ts';
import { requireFound } from '../require-found.ts';
import type { PresetCache } from './preset-cache.ts';

export interface PresetServiceDeps {
  knex: Handle;
  cache: Pick<PresetCache, 'forget'>;
}

export interface SaveOptions extends OnceOptions<PresetWithVersion> {
  /** The operation's id. It is the scope of the idempotency key and the action in the audit log. */
  operation: string;
}

/**
 * Reads and changes the presets of the key's own workspace. Any other slug gets the same 404. Each write adds an audit
 * row. A change applies in this process at once, and in the others when the notice arrives.
 */
export function createPresetService({ knex, cache }: PresetServiceDeps) {
  const store = createPresetStore(knex);
  return {
    /**
     * Creates the preset or its next version. Throws 400 when it is too large, and 409 when the preset is archived or
     * has all versions that it may have, or when the workspace has no room for the version.
     */
    async save(
      caller: Caller,
      slug: string,
      draft: PresetDraft,
      { operation, ...once }: SaveOptions,
    ): Promise<OnceAnswer> {
      requireSize(draft);
      const { organizationId, workspaceId } = caller.principal;
      const scope = { organizationId, workspaceId, operation };
      const make = (transaction: Handle) => save(transaction, caller, slug, draft, operation);
      const answer = await doOnce({ knex, scope, make }, once);
      cache.forget(workspaceId, slug);
      return answer;
    },
    list: (
      { workspaceId }: Principal,
      page: PresetPage & { includeArchived: boolean },
    ): Promise<{ presets: Preset[]; totalCount: number }> => store.list(workspaceId, page),
    async get({ workspaceId }: Principal, slug: string): Promise<PresetWithVersion> {
      return requireFound(await store.findWithVersion(workspaceId, slugOf(slug)));
    },
    async listVersions(
      { workspaceId }: Principal,
      slug: string,
      page: PresetPage,
    ): Promise<{ versions: PresetVersion[]; totalCount: number }> {
      const { id } = requireFound(await store.find(workspaceId, slugOf(slug)));
      return store.listVersions(id, page);
    },
    /** Returns a version. Throws 404 for a text that is not the number of a version. */
    async getVersion({ workspaceId }: Principal, slug: string, version: string): Promise<PresetVersion> {
      const { id } = requireFound(await store.find(workspaceId, slugOf(slug)));
      return requireFound(await store.findVersion(id, { version: versionNumberOf(version) }));
    },
    /**
     * Changes a preset. Throws 409 for an archived preset unless the change sets its status, and 400 for a version that
     * the preset does not have.
     */
    async update(caller: Caller, slug: string, changes: PresetChanges): Promise<PresetWithVersion> {
      const preset = await knex.transaction((transaction) => update(transaction, caller, slug, changes));
      cache.forget(caller.principal.workspaceId, slug);
      return preset;
    },
    /** Archives a preset. Archiving it again changes nothing. */
    async archive(caller: Caller, slug: string): Promise<void> {
      await knex.transaction((transaction) => archive(transaction, caller, slug));
      cache.forget(caller.principal.workspaceId, slug);
    },
  };
}

async function save(
  transaction: Handle,
  caller: Caller,
  slug: string,
  draft: PresetDraft,
  operation: string,
): Promise<PresetWithVersion> {
  const { workspaceId, creatorUserId, keyHash } = caller.principal;
  const preset = await createPresetStore(transaction).save({
    ...draft,
    workspaceId,
    slug,
    creatorUserId: creatorUserId ?? null,
    creatorId: creatorUserId ?? keyHash,
  });
  if (preset === 'archived') throw archived();
  if (preset === 'full') throw noRoom('too_many_preset_versions');
  const storage = createPresetStorageStore(transaction);
  if (!(await storage.take(workspaceId, storedBytes(bytesOf(draft)))))
    throw noRoom('too_much_preset_storage');
  await audit(transaction, caller, operation, preset);
  return preset;
}

async function update(
  transaction: Handle,
  caller: Caller,
  slug: string,
  { designatedVersion, ...changes }: PresetChanges,
): Promise<PresetWithVersion> {
  const store = createPresetStore(transaction);
  const { workspaceId } = caller.principal;
  const preset = requireFound(await store.lock(workspaceId, slugOf(slug)));
  if (preset.status === 'archived' && changes.status === undefined) throw archived();
  const version = designatedVersion && (await requireVersion(store, preset, designatedVersion));
  await store.update(preset.id, { ...changes, designatedVersionId: version?.id });
  await audit(transaction, caller, 'updatePreset', preset);
  return requireFound(await store.findWithVersion(workspaceId, slug));
}

async function archive(transaction: Handle, caller: Caller, slug: string): Promise<void> {
  const store = createPresetStore(transaction);
  const preset = requireFound(await store.lock(caller.principal.workspaceId, slugOf(slug)));
  if (preset.status === 'archived') return;
  await store.update(preset.id, { status: 'archived' });
  await audit(transaction, caller, 'deletePreset', preset);
}

async function audit(transaction: Handle, caller: Caller, action: string, { id }: Preset): Promise<void> {
  await createAuditStore(transaction).insert(actorOf(caller), { action, target: `presets/${id}` });
}

async function requireVersion(
  store: PresetStore,
  { id }: Preset,
  which: NonNullable<PresetChanges['designatedVersion']>,
): Promise<PresetVersion> {
  const version = await store.findVersion(id, which);
  if (version !== null) return version;
  const field = 'id' in which ? 'designated_version_id' : 'designated_version';
  throw invalidRequest({ path: `body.${field}`, message: 'is no version of this preset' });
}

function bytesOf({ config, systemPrompt }: PresetDraft): number {
  return Buffer.byteLength(JSON.stringify(config)) + Buffer.byteLength(systemPrompt ?? '');
}

function requireSize(draft: PresetDraft): void {
  if (bytesOf(draft) <= MAX_PRESET_BYTES) return;
  const message = `must leave a configuration and system prompt of at most ${MAX_PRESET_BYTES} bytes`;
  throw invalidRequest({ path: 'body', message });
}

/** Returns the text if it can be a slug; throws the 404 of an unknown preset otherwise. */
function slugOf(text: string): string {
  if (!PRESET_SLUG_PATTERN.test(text)) throw new AppError('not_found');
  return text;
}

function versionNumberOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new AppError('not_found');
  return Number(text);
}

const NO_ROOM = {
  too_many_preset_versions: 'The preset has no room for another version',
  too_much_preset_storage: 'The workspace has no room for another version of a preset',
};

/** Returns the 409 for a version that a preset or a workspace has no room for. Waiting does not help. */
function noRoom(reason: keyof typeof NO_ROOM): AppError {
  return new AppError('conflict', { reason, retryable: false, publicMessage: NO_ROOM[reason] });
}

function archived(): AppError {
  const publicMessage = 'The preset is archived';
  return new AppError('conflict', { reason: 'preset_archived', retryable: false, publicMessage });
}

export type PresetService = ReturnType<typeof createPresetService>;
