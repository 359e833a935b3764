/** Handles `GET /presets/{slug}`: returns a preset with the version that requests get. */
import { operations } from '../../contract/operations.ts';
import { presentPresetWithVersion } from './present-preset.ts';
import { defineRoute } from '../http/route.ts';

export const getPreset = defineRoute(operations.getPreset, async ({ principal, params }, { services }) => ({
  status: 200,
  body: { data: presentPresetWithVersion(await services.presets.get(principal, params.slug)) },
}));
