/** Reads and writes the presets of a workspace and their versions. */
import { newUuid } from '../../domain/ids.ts';
import {
  MAX_PRESET_VERSIONS,
  PRESET_STATUSES,
  type Preset,
  type PresetConfig,
  type PresetDraft,
  type PresetStatus,
  type PresetVersion,
  type PresetWithVersion,
} from '../../domain/presets/preset.ts';
import type { Handle } from '../postgres/connection.ts';
import { countRows, firstRow, oneRow } from '../postgres/results.ts';
import * as column from '../postgres/shape.ts';
import { columnsOf, selectList } from '../postgres/shape.ts';
import { rowsOf, run, tables } from '../postgres/statement.ts';

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
  designatedVersionId?: string | undefined;
}

export interface PresetPage {
  limit: number;
  offset: number;
}

/** The parts of a preset that a request needs. */
export interface PresetInUse extends PresetDraft {
  presetId: string;
}

const PRESET = {
  id: column.uuid,
  workspaceId: column.uuid,
  slug: column.text,
  name: column.text,
  description: column.text.orNull,
  status: column.oneOf(PRESET_STATUSES),
  statusUpdatedAt: column.timestamptz.orNull,
  designatedVersionId: column.uuid,
  creatorUserId: column.text.orNull,
  createdAt: column.timestamptz,
  updatedAt: column.timestamptz,
};
const PRESETS = `select ${selectList(PRESET)} from presets`;

const VERSION = {
  id: column.uuid,
  presetId: column.uuid,
  version: column.int4,
  config: column.json<PresetConfig>(),
  systemPrompt: column.text.orNull,
  creatorId: column.text,
  createdAt: column.timestamptz,
};
const VERSIONS = `select ${selectList(VERSION)} from preset_versions`;

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
      const [saved] = await rowsOf(
        handle,
        { ...PRESET, lastVersion: column.int4 },
        `insert into presets (id, workspace_id, slug, name, creator_user_id, designated_version_id)
         values (:id, :workspaceId, :slug, :slug, :creatorUserId, :versionId)
         on conflict (workspace_id, slug) do update
           set last_version = presets.last_version + 1, updated_at = now(),
               designated_version_id = excluded.designated_version_id
           where presets.status <> 'archived' and presets.last_version < :max
         returning ${selectList(PRESET)}, last_version "lastVersion"`,
        {
          id: newUuid(),
          workspaceId: draft.workspaceId,
          slug: draft.slug,
          creatorUserId: draft.creatorUserId,
          versionId,
          max: MAX_PRESET_VERSIONS,
        },
      );
      if (saved === undefined) {
        const preset = await find(handle, draft.workspaceId, draft.slug);
        return preset?.status === 'archived' ? 'archived' : 'full';
      }
      const { lastVersion, ...preset } = saved;
      const designatedVersion = await oneRow(
        handle,
        VERSION,
        `insert into preset_versions (id, preset_id, version, config, system_prompt, creator_id)
         values (:versionId, :presetId, :lastVersion, :config::json, :systemPrompt, :creatorId)
         returning ${selectList(VERSION)}`,
        {
          versionId,
          presetId: preset.id,
          lastVersion,
          config: JSON.stringify(draft.config),
          systemPrompt: draft.systemPrompt,
          creatorId: draft.creatorId,
        },
      );
      return { ...preset, designatedVersion };
    },
  };
}

export type PresetStore = ReturnType<typeof createPresetStore>;

/** Builds the method that changes a preset. */
function presetUpdates(handle: Handle) {
  return {
    async update(id: string, update: PresetUpdate): Promise<void> {
      const { status } = update;
      const columns = {
        ...columnsOf(update),
        updated_at: tables.raw('now()'),
        status_updated_at:
          status === undefined
            ? undefined
            : tables.raw('case when status = ? then status_updated_at else now() end', [status]),
      };
      await run(handle, tables('presets').where({ id }).update(columns));
    },
  };
}

const IN_USE = {
  presetId: column.uuid,
  config: column.json<PresetConfig>(),
  systemPrompt: column.text.orNull,
};

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
    findInUse: (workspaceId: string, slug: string): Promise<PresetInUse | null> =>
      firstRow(
        handle,
        IN_USE,
        `select ${selectList(IN_USE, 'v')}
         from presets p join preset_versions v on v.id = p.designated_version_id
         where p.workspace_id = :workspaceId and p.slug = :slug and p.status = 'active'`,
        { workspaceId, slug },
      ),

    /** Returns the preset and locks it until the commit. */
    lock: (workspaceId: string, slug: string) => find(handle, workspaceId, slug, 'for no key update'),
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
      const listed = `from presets where workspace_id = :workspaceId${includeArchived ? '' : ` and status <> 'archived'`}`;
      const presets = await rowsOf(
        handle,
        PRESET,
        `select ${selectList(PRESET)} ${listed} order by updated_at desc, id desc limit :limit offset :offset`,
        { workspaceId, limit, offset },
      );
      return { presets, totalCount: await countRows(handle, listed, { workspaceId }) };
    },

    /** Lists versions, the oldest first. */
    async listVersions(
      presetId: string,
      { limit, offset }: PresetPage,
    ): Promise<{ versions: PresetVersion[]; totalCount: number }> {
      const versions = await rowsOf(
        handle,
        VERSION,
        `${VERSIONS} where preset_id = :presetId order by version limit :limit offset :offset`,
        { presetId, limit, offset },
      );
      const all = 'from preset_versions where preset_id = :presetId';
      return { versions, totalCount: await countRows(handle, all, { presetId }) };
    },
  };
}

async function findVersion(
  handle: Handle,
  presetId: string,
  which: { id: string } | { version: number },
): Promise<PresetVersion | null> {
  const condition = 'id' in which ? 'id = :id' : 'version = :version';
  const statement = `${VERSIONS} where preset_id = :presetId and ${condition}`;
  return firstRow(handle, VERSION, statement, { presetId, ...which });
}

async function find(handle: Handle, workspaceId: string, slug: string, lock = ''): Promise<Preset | null> {
  const statement = `${PRESETS} where workspace_id = :workspaceId and slug = :slug ${lock}`;
  return firstRow(handle, PRESET, statement, { workspaceId, slug });
}
