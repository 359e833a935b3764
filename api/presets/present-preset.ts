/** Turns a preset, or one of its versions, into the record that responses show. */
import type {
  PresetRecord,
  PresetVersionRecord,
  PresetWithVersionRecord,
} from '../../contract/presets/preset.ts';
import type { Preset, PresetVersion, PresetWithVersion } from '../../domain/presets/preset.ts';

export function presentPreset(preset: Preset): PresetRecord {
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

export function presentPresetVersion(version: PresetVersion): PresetVersionRecord {
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

export function presentPresetWithVersion(preset: PresetWithVersion): PresetWithVersionRecord {
  return { ...presentPreset(preset), designated_version: presentPresetVersion(preset.designatedVersion) };
}
