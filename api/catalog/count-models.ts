/** Handles `GET /models/count`: returns the number of models that can be requested now. */
import { operations } from '../../contract/operations.ts';
import { answerConditionally } from '../http/answer-conditionally.ts';
import { defineRoute } from '../http/route.ts';
import { outputModalitiesOf } from './to-model-filter.ts';

export const countModels = defineRoute(
  operations.countModels,
  async ({ headers, query }, { services: { models } }) => {
    const count = models.list({ outputModalities: outputModalitiesOf(query) }).length;
    return answerConditionally(headers, { data: { count } });
  },
);
