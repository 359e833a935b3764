import { operations } from '../../../contract/operations.ts';
import { presentGenerationContent } from '../../presenters/generation.ts';
import { defineRoute } from '../../route.ts';

export const getGenerationContent = defineRoute(
  operations.getGenerationContent,
  async ({ principal, query }, { services }) => ({
    status: 200,
    body: { data: presentGenerationContent(await services.generations.content(principal, query.id)) },
  }),
);
