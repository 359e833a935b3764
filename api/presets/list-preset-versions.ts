/** Handles `GET /presets/{slug}/versions`: lists the versions of a preset. */
import { operations } from '../../contract/operations.ts';
import { presentPresetVersion } from './present-preset.ts';
import { defineRoute } from '../http/route.ts';

export const listPresetVersions = defineRoute(
  operations.listPresetVersions,
  async ({ principal, params, query }, { services }) => {
    const { versions, totalCount } = await services.presets.listVersions(principal, params.slug, query);
    return { status: 200, body: { data: versions.map(presentPresetVersion), total_count: totalCount } };
  },
);
