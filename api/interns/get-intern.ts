/** Handles `GET /interns/{internId}`: returns one intern. */
import { operations } from '../../contract/operations.ts';
import { presentIntern } from './present-intern.ts';
import { defineRoute } from '../http/route.ts';

export const getIntern = defineRoute(operations.getIntern, async ({ principal, params }, { services }) => ({
  status: 200,
  body: presentIntern(await services.interns.get(principal, params.internId)),
}));
