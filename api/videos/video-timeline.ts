/** Lists the events of a video job. */
import type { VideoEventRecord, videoTimelineOperations } from '../../contract/videos/video-timeline.ts';
import type { JobEvent } from '../../domain/videos/job-event.ts';
import type { VideoService } from '../../services/videos/video-service.ts';
import type { RoutesOf } from '../http/route.ts';

export const videoTimelineRoutes: RoutesOf<typeof videoTimelineOperations, { videos: VideoService }> = {
  /** Handles `GET /videos/{jobId}/timeline`: lists the events of a video job. */
  getVideoTimeline: async ({ principal, params }, { services }) => {
    const events = await services.videos.timeline(principal, params.jobId);
    return { status: 200, body: { data: events.map(presentVideoEvent) } };
  },
};

function presentVideoEvent({ at: time, ...event }: JobEvent): VideoEventRecord {
  const at = time.toISOString();
  if (event.type === 'refused') {
    const { lastAt, ...refused } = event;
    return { at, last_at: lastAt.toISOString(), ...refused };
  }
  if (event.type !== 'webhook_attempt') return { at, ...event };
  const { statusCode, ...attempt } = event;
  return { at, ...attempt, status_code: statusCode };
}
