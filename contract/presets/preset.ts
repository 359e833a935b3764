/** Defines the schemas of presets and their versions. */
import { z } from 'zod';
import { PRESET_STATUSES } from '../../domain/presets/preset.ts';
import { displayName, text } from '../text.ts';

const time = z.iso.datetime();

export const preset = z
  .object({
    id: z.uuid(),
    slug: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    status: z.enum(PRESET_STATUSES).meta({
      description:
        '`active`: requests may use the preset. `disabled`: requests with it get a 404, but it can be edited. `archived`: deleted; only an update of the status restores it.',
    }),
    status_updated_at: time.nullable(),
    designated_version_id: z.uuid().meta({ description: 'The version that requests use.' }),
    creator_user_id: z.string().nullable(),
    workspace_id: z.uuid(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Preset' });

export const presetVersion = z
  .object({
    id: z.uuid(),
    preset_id: z.uuid(),
    version: z.int().meta({ description: 'Counts from 1, without gaps.' }),
    config: z.record(z.string(), z.unknown()).meta({
      description:
        'Fields of a chat request, under their names there, also if the original request had another dialect.',
    }),
    system_prompt: z.string().nullable(),
    creator_id: z.string().meta({ description: "The user of the key; the key's hash if it has none." }),
    created_at: time,
    updated_at: time.meta({ description: 'Equals `created_at`: a version never changes.' }),
  })
  .meta({ id: 'PresetVersion' });

export const presetWithVersion = preset
  .extend({ designated_version: presetVersion })
  .meta({ id: 'PresetWithVersion' });

/** The changes of a preset. An absent field stays as it is; null clears it. */
export const presetChanges = z
  .object({
    name: displayName({ max: 100 }).optional(),
    description: text({ max: 500 }).nullable().optional(),
    status: z.enum(['active', 'disabled']).optional(),
    designated_version: z.int().min(1).max(2_147_483_647).optional().meta({
      description: 'The number of the version that requests use from now on.',
    }),
    designated_version_id: z.uuid().optional().meta({
      description: 'Selects the version by its id; not together with `designated_version`.',
    }),
  })
  .superRefine((changes, context) => {
    if (changes.designated_version === undefined || changes.designated_version_id === undefined) return;
    const message = 'cannot be combined with designated_version';
    context.addIssue({ code: 'custom', path: ['designated_version_id'], message });
  })
  .meta({ id: 'PresetChanges' });

export type PresetRecord = z.output<typeof preset>;
export type PresetVersionRecord = z.output<typeof presetVersion>;
export type PresetWithVersionRecord = z.output<typeof presetWithVersion>;
export type PresetChangesBody = z.output<typeof presetChanges>;
