/** Handles `GET /providers`: lists the providers that serve models of the catalog. */
import { operations } from '../../contract/operations.ts';
import { answerConditionally } from '../http/answer-conditionally.ts';
import { presentProvider } from './present-provider.ts';
import { defineRoute } from '../http/route.ts';

export const listProviders = defineRoute(
  operations.listProviders,
  async ({ headers }, { services: { models } }) =>
    answerConditionally(headers, { data: models.providers().map(presentProvider) }),
);
