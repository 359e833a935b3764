/** Reads and writes the presets of a workspace and their versions. */
import { newUuid } from '../../domain/ids.ts';
import {
  MAX_PRESET_VERSIONS,
  type Preset,
  type PresetConfig,
  type PresetDraft,
  type PresetStatus,
  type PresetVersion,
  type PresetWithVersion,
} from '../../domain/presets/preset.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';

export interface NewPresetVersion extends PresetDraft {
  workspaceId: string;
  slug: string;
  /** The creator of the preset, if it is new. */
  creatorUserId: string | null;
  /** The creator of the version. */
  creatorId: string;
}

/** The columns to update. A different `status` also sets `status_updated_at`. */
export interface PresetUpdate {
  name?: string;
  description?: string | null;
  status?: PresetStatus;
  designatedVersionId?: string;
}

export interface PresetPage {
  limit: number;
  offset: number;
}

/** The parts of a preset that a request needs. */
export interface PresetInUse extends PresetDraft {
  presetId: string;
}

interface PresetRow {
  id: string;
  workspace_id: string;
  slug: string;
  name: string;
  description: string | null;
  status: PresetStatus;
  status_updated_at: Date | null;
  last_version: number;
  designated_version_id: string;
  creator_user_id: string | null;
  created_at: Date;
  updated_at: Date;
}

interface VersionRow {
  id: string;
  preset_id: string;
  version: number;
  config: PresetConfig;
  system_prompt: string | null;
  creator_id: string;
  created_at: Date;
}

/** Stores presets and their versions. A workspace sees only its own. */
export function createPresetStore(handle: Handle) {
  return {
    ...presetUpdates(handle),

    ...presetReads(handle),

    ...presetLists(handle),

    /**
     * Writes a version and designates it; creates the preset if it does not exist. Numbering the version also locks the
     * preset, so a concurrent save waits for the commit and gets the next number. Returns why a preset gets no version:
     * it is archived, or full.
     */
    async save(draft: NewPresetVersion): Promise<PresetWithVersion | 'archived' | 'full'> {
      const versionId = newUuid();
      const [row] = await uncheckedRowsOf<PresetRow>(
        handle,
        `insert into presets (id, workspace_id, slug, name, creator_user_id, designated_version_id)
         values (?, ?, ?, ?, ?, ?)
         on conflict (workspace_id, slug) do update
           set last_version = presets.last_version + 1, updated_at = now(),
               designated_version_id = excluded.designated_version_id
           where presets.status <> 'archived' and presets.last_version < ?
         returning *`,
        [
          newUuid(),
          draft.workspaceId,
          draft.slug,
          draft.slug,
          draft.creatorUserId,
          versionId,
          MAX_PRESET_VERSIONS,
        ],
      );
      if (row === undefined) {
        const preset = await find(handle, draft.workspaceId, draft.slug);
        return preset?.status === 'archived' ? 'archived' : 'full';
      }
      const [version] = await uncheckedRowsOf<VersionRow>(
        handle,
        `insert into preset_versions (id, preset_id, version, config, system_prompt, creator_id)
         values (?, ?, ?, ?::json, ?, ?) returning *`,
        [
          versionId,
          row.id,
          row.last_version,
          JSON.stringify(draft.config),
          draft.systemPrompt,
          draft.creatorId,
        ],
      );
      if (version === undefined) throw new Error('insert returned no row');
      return { ...toPreset(row), designatedVersion: toVersion(version) };
    },
  };
}

export type PresetStore = ReturnType<typeof createPresetStore>;

/** Builds the method that changes a preset. */
function presetUpdates(handle: Handle) {
  return {
    async update(
      id: string,
      { name, description, status, designatedVersionId }: PresetUpdate,
    ): Promise<void> {
      await handle('presets')
        .where({ id })
        .update({
          updated_at: handle.fn.now(),
          ...(name === undefined ? {} : { name }),
          ...(description === undefined ? {} : { description }),
          ...(designatedVersionId === undefined ? {} : { designated_version_id: designatedVersionId }),
          ...(status === undefined
            ? {}
            : {
                status,
                status_updated_at: handle.raw('case when status = ? then status_updated_at else now() end', [
                  status,
                ]),
              }),
        });
    },
  };
}

/** Builds the methods that read presets. */
function presetReads(handle: Handle) {
  return {
    find: (workspaceId: string, slug: string) => find(handle, workspaceId, slug),

    findVersion: (presetId: string, which: { id: string } | { version: number }) =>
      findVersion(handle, presetId, which),

    async findWithVersion(workspaceId: string, slug: string): Promise<PresetWithVersion | null> {
      const preset = await find(handle, workspaceId, slug);
      if (preset === null) return null;
      const designatedVersion = await findVersion(handle, preset.id, { id: preset.designatedVersionId });
      if (designatedVersion === null) throw new Error('a preset without its designated version');
      return { ...preset, designatedVersion };
    },

    /** Returns the content of an active preset for a request; null if the preset is missing or not active. */
    async findInUse(workspaceId: string, slug: string): Promise<PresetInUse | null> {
      const [row] = await uncheckedRowsOf<VersionRow>(
        handle,
        `select v.* from presets p join preset_versions v on v.id = p.designated_version_id
         where p.workspace_id = ? and p.slug = ? and p.status = 'active'`,
        [workspaceId, slug],
      );
      return row === undefined
        ? null
        : { presetId: row.preset_id, config: row.config, systemPrompt: row.system_prompt };
    },

    /** Returns the preset and locks it until the commit. */
    async lock(workspaceId: string, slug: string): Promise<Preset | null> {
      const row = await handle<PresetRow>('presets')
        .where({ workspace_id: workspaceId, slug })
        .forNoKeyUpdate()
        .first();
      return row === undefined ? null : toPreset(row);
    },
  };
}

/** Builds the methods that list presets and their versions. */
function presetLists(handle: Handle) {
  return {
    /** Lists presets, the last changed first. */
    async list(
      workspaceId: string,
      { limit, offset, includeArchived }: PresetPage & { includeArchived: boolean },
    ): Promise<{ presets: Preset[]; totalCount: number }> {
      const where = `workspace_id = ?${includeArchived ? '' : ` and status <> 'archived'`}`;
      const rows = await uncheckedRowsOf<PresetRow>(
        handle,
        `select * from presets where ${where} order by updated_at desc, id desc limit ? offset ?`,
        [workspaceId, limit, offset],
      );
      const [count] = await uncheckedRowsOf<{ n: string }>(
        handle,
        `select count(*) n from presets where ${where}`,
        [workspaceId],
      );
      return { presets: rows.map(toPreset), totalCount: Number(count?.n ?? 0) };
    },

    /** Lists versions, the oldest first. */
    async listVersions(
      presetId: string,
      { limit, offset }: PresetPage,
    ): Promise<{ versions: PresetVersion[]; totalCount: number }> {
      const rows = await uncheckedRowsOf<VersionRow>(
        handle,
        `select * from preset_versions where preset_id = ? order by version limit ? offset ?`,
        [presetId, limit, offset],
      );
      const [count] = await uncheckedRowsOf<{ n: string }>(
        handle,
        `select count(*) n from preset_versions where preset_id = ?`,
        [presetId],
      );
      return { versions: rows.map(toVersion), totalCount: Number(count?.n ?? 0) };
    },
  };
}

async function findVersion(
  handle: Handle,
  presetId: string,
  which: { id: string } | { version: number },
): Promise<PresetVersion | null> {
  const row = await handle<VersionRow>('preset_versions')
    .where({ preset_id: presetId, ...which })
    .first();
  return row === undefined ? null : toVersion(row);
}

async function find(handle: Handle, workspaceId: string, slug: string): Promise<Preset | null> {
  const row = await handle<PresetRow>('presets').where({ workspace_id: workspaceId, slug }).first();
  return row === undefined ? null : toPreset(row);
}

function toPreset(row: PresetRow): Preset {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    slug: row.slug,
    name: row.name,
    description: row.description,
    status: row.status,
    statusUpdatedAt: row.status_updated_at,
    designatedVersionId: row.designated_version_id,
    creatorUserId: row.creator_user_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function toVersion(row: VersionRow): PresetVersion {
  return {
    id: row.id,
    presetId: row.preset_id,
    version: row.version,
    config: row.config,
    systemPrompt: row.system_prompt,
    creatorId: row.creator_id,
    createdAt: row.created_at,
  };
}
