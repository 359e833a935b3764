/** Handles `GET /generation`: returns the usage, cost and attempts of a generation. */
import { operations } from '../../../contract/operations.ts';
import { presentGeneration } from './present-generation.ts';
import { defineRoute } from '../../http/route.ts';

export const getGeneration = defineRoute(
  operations.getGeneration,
  async ({ principal, query }, { services }) => ({
    status: 200,
    body: { data: presentGeneration(await services.generations.get(principal, query.id)) },
  }),
);
