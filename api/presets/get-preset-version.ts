/** Handles `GET /presets/{slug}/versions/{version}`: returns one version of a preset. */
import { operations } from '../../contract/operations.ts';
import { presentPresetVersion } from './present-preset.ts';
import { defineRoute } from '../http/route.ts';

export const getPresetVersion = defineRoute(
  operations.getPresetVersion,
  async ({ principal, params: { slug, version } }, { services }) => ({
    status: 200,
    body: { data: presentPresetVersion(await services.presets.getVersion(principal, slug, version)) },
  }),
);
