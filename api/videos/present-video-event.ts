/** Turns an event of a video job into an entry of the body of `GET /videos/{jobId}/timeline`. */
import type { VideoEventRecord } from '../../contract/videos/video-timeline.ts';
import type { JobEvent } from '../../domain/videos/job-event.ts';

export function presentVideoEvent({ at: time, ...event }: JobEvent): VideoEventRecord {
  const at = time.toISOString();
  if (event.type !== 'webhook_attempt') return { at, ...event };
  const { statusCode, ...attempt } = event;
  return { at, ...attempt, status_code: statusCode };
}
