/** Handles `GET /generation/content`: returns the logged input and output of a generation. */
import { operations } from '../../../contract/operations.ts';
import { presentGenerationContent } from './present-generation.ts';
import { defineRoute } from '../../http/route.ts';

export const getGenerationContent = defineRoute(
  operations.getGenerationContent,
  async ({ principal, query }, { services }) => ({
    status: 200,
    body: { data: presentGenerationContent(await services.generations.content(principal, query.id)) },
  }),
);
