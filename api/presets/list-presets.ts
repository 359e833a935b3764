/** Handles `GET /presets`: lists the presets of the key's workspace. */
import { operations } from '../../contract/operations.ts';
import { presentPreset } from './present-preset.ts';
import { defineRoute } from '../http/route.ts';

export const listPresets = defineRoute(
  operations.listPresets,
  async ({ principal, query: { limit, offset, include_archived: includeArchived } }, { services }) => {
    const { presets, totalCount } = await services.presets.list(principal, {
      limit,
      offset,
      includeArchived,
    });
    return { status: 200, body: { data: presets.map(presentPreset), total_count: totalCount } };
  },
);
