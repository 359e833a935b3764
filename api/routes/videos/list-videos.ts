import { operations } from '../../../contract/operations.ts';
import { presentVideo } from '../../presenters/video.ts';
import { defineRoute } from '../../route.ts';

export const listVideos = defineRoute(operations.listVideos, async ({ principal, query }, api) => {
  const { limit, offset, status } = query;
  const page = { limit, offset, ...(status === undefined ? {} : { status }) };
  const { jobs, totalCount } = await api.services.videos.list(principal, page);
  const nowMs = Date.now();
  return {
    status: 200,
    body: { data: jobs.map((job) => presentVideo(job, api, nowMs)), total_count: totalCount },
  };
});
