/** Handles `GET /videos/{jobId}/content`: returns the bytes of one output of a video job. */
import { operations } from '../../contract/operations.ts';
import { defineRoute } from '../http/route.ts';
import { answerContent } from './answer-content.ts';

export const getVideoContent = defineRoute(operations.getVideoContent, async (call, { services }) => {
  const { principal, params, query } = call;
  return answerContent(call, `${params.jobId}-${query.index}`, (range) =>
    services.videos.openContent(principal, params.jobId, query.index, range),
  );
});
