/** Handles `GET /datasets/app-rankings`: ranks the apps of all organizations by their use of public models. */
import { operations } from '../../../contract/operations.ts';
import { presentAppRankings } from './present-rankings.ts';
import { defineRoute } from '../../http/route.ts';
import { windowOf } from './ranking-window.ts';
import { answerConditionally } from '../../http/answer-conditionally.ts';

export const getAppRankings = defineRoute(
  operations.getAppRankings,
  async ({ query, headers }, { services }) => {
    const { sort, limit, offset } = query;
    const rankings = await services.rankings.apps({ window: windowOf(query), sort, limit, offset });
    return answerConditionally(headers, presentAppRankings(rankings, offset));
  },
);
