/** Handles `GET /videos/{jobId}/timeline`: lists the events of a video job. */
import { operations } from '../../contract/operations.ts';
import { presentVideoEvent } from './present-video-event.ts';
import { defineRoute } from '../http/route.ts';

export const getVideoTimeline = defineRoute(
  operations.getVideoTimeline,
  async ({ principal, params }, { services }) => {
    const events = await services.videos.timeline(principal, params.jobId);
    return { status: 200, body: { data: events.map(presentVideoEvent) } };
  },
);
