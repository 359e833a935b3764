/** Answers the operations on presets and their versions. */
import type {
  PresetChangesBody,
  PresetRecord,
  PresetVersionRecord,
  PresetWithVersionRecord,
} from '../../contract/presets/preset.ts';
import { presetOperations } from '../../contract/presets/presets.ts';
import { withoutUndefined } from '../../domain/fields.ts';
import {
  chatDialect,
  configOf,
  messagesDialect,
  responsesDialect,
} from '../../domain/presets/preset-dialects.ts';
import { systemPromptOf, systemPromptOfChat } from '../../domain/presets/preset-prompt.ts';
import type {
  Preset,
  PresetChanges,
  PresetDraft,
  PresetVersion,
  PresetWithVersion,
} from '../../domain/presets/preset.ts';
import type { Caller } from '../../domain/principal.ts';
import type { PresetService } from '../../services/presets/preset-service.ts';
import { answerIdempotently } from '../http/answer-idempotently.ts';
import { requireUpdateFields } from '../http/request/require-update-fields.ts';
import type { AnyCall, Api, RoutesOf } from '../http/route.ts';

interface Used {
  presets: PresetService;
}

export const presetRoutes: RoutesOf<typeof presetOperations, Used> = {
  /**
   * Handles `POST /presets/{slug}/messages`: stores the settings and system prompt of a messages request as a preset.
   */
  createPresetFromMessages: (call, api) =>
    savePreset(call, api, presetOperations.createPresetFromMessages.id, {
      config: configOf(messagesDialect, call.body),
      systemPrompt: systemPromptOf(call.body.system),
    }),

  /**
   * Handles `POST /presets/{slug}/chat/completions`: stores the settings and system prompt of a chat request as a
   * preset.
   */
  createPresetFromChatCompletion: (call, api) =>
    savePreset(call, api, presetOperations.createPresetFromChatCompletion.id, {
      config: configOf(chatDialect, call.body),
      systemPrompt: systemPromptOfChat(call.body.messages),
    }),

  /**
   * Handles `POST /presets/{slug}/responses`: stores the settings and instructions of a responses request as a preset.
   */
  createPresetFromResponse: (call, api) =>
    savePreset(call, api, presetOperations.createPresetFromResponse.id, {
      config: configOf(responsesDialect, call.body),
      systemPrompt: systemPromptOf(call.body.instructions),
    }),

  /** Handles `GET /presets`: lists the presets of the key's workspace. */
  listPresets: async (
    { principal, query: { limit, offset, include_archived: includeArchived } },
    { services },
  ) => {
    const { presets, totalCount } = await services.presets.list(principal, {
      limit,
      offset,
      includeArchived,
    });
    return { status: 200, body: { data: presets.map(presentPreset), total_count: totalCount } };
  },

  /** Handles `GET /presets/{slug}`: returns a preset with the version that requests get. */
  getPreset: async ({ principal, params }, { services }) => ({
    status: 200,
    body: { data: presentPresetWithVersion(await services.presets.get(principal, params.slug)) },
  }),

  /** Handles `GET /presets/{slug}/versions`: lists the versions of a preset. */
  listPresetVersions: async ({ principal, params, query }, { services }) => {
    const { versions, totalCount } = await services.presets.listVersions(principal, params.slug, query);
    return { status: 200, body: { data: versions.map(presentPresetVersion), total_count: totalCount } };
  },

  /** Handles `GET /presets/{slug}/versions/{version}`: returns one version of a preset. */
  getPresetVersion: async ({ principal, params: { slug, version } }, { services }) => ({
    status: 200,
    body: { data: presentPresetVersion(await services.presets.getVersion(principal, slug, version)) },
  }),

  /** Handles `PATCH /presets/{slug}`: changes the fields of a preset that the body names. */
  updatePreset: async (call, { services }) => {
    const changes = requireUpdateFields(toPresetChanges(call.body));
    const preset = await services.presets.update(call, call.params.slug, changes);
    return { status: 200, body: { data: presentPresetWithVersion(preset) } };
  },

  /** Handles `DELETE /presets/{slug}`: archives a preset, so that requests cannot use it. */
  deletePreset: async (call, { services }) => {
    await services.presets.archive(call, call.params.slug);
    return { status: 200, body: { deleted: true } };
  },
};

function toPresetChanges(body: PresetChangesBody): PresetChanges {
  const { name, description, status, designated_version: version, designated_version_id: id } = body;
  const byNumber = version === undefined ? undefined : { version };
  const designatedVersion = id === undefined ? byNumber : { id };
  return withoutUndefined({ name, description, status, designatedVersion });
}

type SaveCall = Caller & Pick<AnyCall, 'idempotency'> & { params: { slug: string } };

/** Creates a preset or its next version from a draft of any dialect. */
function savePreset(call: SaveCall, { services }: Api<Used>, operation: string, draft: PresetDraft) {
  return answerIdempotently(
    call,
    (preset: PresetWithVersion) => ({ status: 200, body: { data: presentPresetWithVersion(preset) } }),
    (once) => services.presets.save(call, call.params.slug, draft, { ...once, operation }),
  );
}

function presentPreset(preset: Preset): PresetRecord {
  return {
    id: preset.id,
    slug: preset.slug,
    name: preset.name,
    description: preset.description,
    status: preset.status,
    status_updated_at: preset.statusUpdatedAt?.toISOString() ?? null,
    designated_version_id: preset.designatedVersionId,
    creator_user_id: preset.creatorUserId,
    workspace_id: preset.workspaceId,
    created_at: preset.createdAt.toISOString(),
    updated_at: preset.updatedAt.toISOString(),
  };
}

function presentPresetVersion(version: PresetVersion): PresetVersionRecord {
  const createdAt = version.createdAt.toISOString();
  return {
    id: version.id,
    preset_id: version.presetId,
    version: version.version,
    config: version.config,
    system_prompt: version.systemPrompt,
    creator_id: version.creatorId,
    created_at: createdAt,
    updated_at: createdAt,
  };
}

function presentPresetWithVersion(preset: PresetWithVersion): PresetWithVersionRecord {
  return { ...presentPreset(preset), designated_version: presentPresetVersion(preset.designatedVersion) };
}
