/** Handles `PATCH /interns/{internId}`: changes the fields of an intern that the body names. */
import { operations } from '../../contract/operations.ts';
import { presentIntern } from './present-intern.ts';
import { requireUpdateFields } from '../http/request/require-update-fields.ts';
import { withoutUndefined } from '../http/request/without-undefined.ts';
import { defineRoute } from '../http/route.ts';

export const updateIntern = defineRoute(
  operations.updateIntern,
  async ({ principal, client, params, body }, { services }) => {
    const { name, description, instructions, model } = body;
    const changes = requireUpdateFields(withoutUndefined({ name, description, instructions, model }));
    const intern = await services.interns.update({ principal, client }, params.internId, changes);
    return { status: 200, body: presentIntern(intern) };
  },
);
