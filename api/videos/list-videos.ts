/** Handles `GET /videos`: lists the video jobs that the calling key may read. */
import { toMoment } from '../../contract/moment.ts';
import { operations } from '../../contract/operations.ts';
import { presentVideo } from './present-video.ts';
import { withoutUndefined } from '../http/request/without-undefined.ts';
import { defineRoute } from '../http/route.ts';

export const listVideos = defineRoute(operations.listVideos, async ({ principal, query }, api) => {
  const { limit, offset, status, model, created_after: after, created_before: before } = query;
  const page = withoutUndefined({
    limit,
    offset,
    status,
    model,
    createdAfter: after === undefined ? undefined : toMoment(after),
    createdBefore: before === undefined ? undefined : toMoment(before),
  });
  const { jobs, totalCount } = await api.services.videos.list(principal, page);
  const nowMs = Date.now();
  return {
    status: 200,
    body: { data: jobs.map((job) => presentVideo(job, api, nowMs)), total_count: totalCount },
  };
});
