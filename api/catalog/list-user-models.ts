import { operations } from '../../contract/operations.ts';
import { defineRoute } from '../http/route.ts';
import { answerModelPage, answerWholeList } from './model-page.ts';
import { outputModalitiesOf } from './to-model-filter.ts';

/** Lists the whole catalog, which every key may use, and the models that only the key's workspace can use. */
export const listUserModels = defineRoute(
  operations.listUserModels,
  async (call, { services: { models, ownModels } }) => {
    const { headers, query, principal } = call;
    const own = await ownModels.of(principal);
    if (Object.keys(query).length === 0 && own.length === 0) {
      return answerWholeList(headers, models.textModels());
    }
    const matching = models.list({ outputModalities: outputModalitiesOf(query) }, 'newest', own);
    return answerModelPage('/models/user', call, matching);
  },
);
