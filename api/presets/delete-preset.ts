/** Handles `DELETE /presets/{slug}`: archives a preset, so that requests cannot use it. */
import { operations } from '../../contract/operations.ts';
import { defineRoute } from '../http/route.ts';

export const deletePreset = defineRoute(
  operations.deletePreset,
  async ({ principal, client, params }, { services }) => {
    await services.presets.archive({ principal, client }, params.slug);
    return { status: 200, body: { deleted: true } };
  },
);
