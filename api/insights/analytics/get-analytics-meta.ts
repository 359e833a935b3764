/** Handles `GET /analytics/meta`: lists the metrics, dimensions and operators that an analytics query may name. */
import { operations } from '../../../contract/operations.ts';
import { presentAnalyticsMeta } from './present-analytics.ts';
import { defineRoute } from '../../http/route.ts';

export const getAnalyticsMeta = defineRoute(operations.getAnalyticsMeta, async () => ({
  status: 200,
  body: presentAnalyticsMeta(),
}));
