/** Handles `GET /models`: lists the models that can be requested now, text models by default. */
import { operations } from '../../contract/operations.ts';
import { defineRoute } from '../http/route.ts';
import { answerModelPage, answerWholeList } from './model-page.ts';
import { toModelFilter } from './to-model-filter.ts';

export const listModels = defineRoute(operations.listModels, async (call, { services: { models } }) => {
  const { headers, query } = call;
  if (Object.keys(query).length === 0) return answerWholeList(headers, models.textModels());
  return answerModelPage('/models', call, models.list(toModelFilter(query), query.sort));
});
