/** Handles `POST /analytics/query`: computes the requested metrics over the generations of the organization. */
import { operations } from '../../../contract/operations.ts';
import { presentAnalytics } from './present-analytics.ts';
import { defineRoute } from '../../http/route.ts';
import { toAnalyticsQuery } from './to-analytics-query.ts';

export const queryAnalytics = defineRoute(
  operations.queryAnalytics,
  async ({ principal, body, gone }, { services }) => {
    const query = toAnalyticsQuery(body);
    const answer = await services.analytics.query(principal.organizationId, query, gone());
    return { status: 200, body: presentAnalytics(query, answer) };
  },
);
