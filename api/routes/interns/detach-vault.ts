import { operations } from '../../../contract/operations.ts';
import { presentIntern } from '../../presenters/intern.ts';
import { defineRoute } from '../../route.ts';

export const detachVault = defineRoute(
  operations.detachVault,
  async ({ principal, client, params }, { services }) => {
    const intern = await services.interns.detach({ principal, client }, params.internId);
    return { status: 200, body: presentIntern(intern) };
  },
);
