/** Handles `PATCH /presets/{slug}`: changes the fields of a preset that the body names. */
import { operations } from '../../contract/operations.ts';
import type { PresetChangesBody } from '../../contract/presets/preset.ts';
import type { PresetChanges } from '../../domain/presets/preset.ts';
import { presentPresetWithVersion } from './present-preset.ts';
import { requireUpdateFields } from '../http/request/require-update-fields.ts';
import { withoutUndefined } from '../http/request/without-undefined.ts';
import { defineRoute } from '../http/route.ts';

export const updatePreset = defineRoute(
  operations.updatePreset,
  async ({ principal, client, params, body }, { services }) => {
    const changes = requireUpdateFields(toPresetChanges(body));
    const preset = await services.presets.update({ principal, client }, params.slug, changes);
    return { status: 200, body: { data: presentPresetWithVersion(preset) } };
  },
);

function toPresetChanges(body: PresetChangesBody): PresetChanges {
  const { name, description, status, designated_version: version, designated_version_id: id } = body;
  const byNumber = version === undefined ? undefined : { version };
  const designatedVersion = id === undefined ? byNumber : { id };
  return withoutUndefined({ name, description, status, designatedVersion });
}
