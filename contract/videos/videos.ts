/** Declares the operations that submit, list, cancel and download videos. */
import { z } from 'zod';
import { contentHeaders, REPLAY_HEADER, sessionHeaders, SUNSET_HEADER } from '../headers.ts';
import { defineOperations } from '../operation.ts';
import { moment } from '../moment.ts';
import { pageQuery, queryInteger } from '../query-values.ts';
import { text } from '../text.ts';
import { acceptedVideo, jobParams, jobStatus, video, videoList, videoModelList } from './video.ts';
import * as examples from './video-examples.ts';
import { videoRequest } from './video-request.ts';

const common = { tag: 'Videos' } as const;

/** The longest wait in seconds. Proxies and load balancers usually close a connection without an answer after 30. */
const MAX_WAIT = 25;

const contentResponses = {
  200: {
    description: 'The whole file.',
    mediaType: 'video/mp4',
    headers: {
      ETag: 'Never changes for an output.',
      'Accept-Ranges': 'Always `bytes`.',
      'Content-Disposition': 'Proposes a file name.',
    },
  },
  206: {
    description: 'The requested byte range.',
    mediaType: 'video/mp4',
    headers: { 'Content-Range': 'The range of the bytes, and the length of the file.' },
  },
  304: { description: 'The client already has this version.' },
} as const;

export const videoOperations = defineOperations(common, {
  createVideo: {
    route: 'POST /videos',
    isForConsole: true,
    access: 'generation',
    errorMessages: 'exact',
    summary: 'Submit a video generation job',
    description:
      'Accepts the job and returns at once. Poll `polling_url`, or give a `callback_url` to receive a webhook when the job ends.',
    headers: sessionHeaders,
    body: { schema: videoRequest, limit: 'generation', examples: examples.videoRequests },
    rateLimit: 'generation',
    callsOut: true,
    idempotent: true,
    responses: {
      202: {
        description: 'The job is accepted.',
        schema: acceptedVideo,
        headers: { ...REPLAY_HEADER, ...SUNSET_HEADER },
        example: examples.acceptedVideo,
      },
    },
    errors: [402, 404, 499],
  },

  listVideos: {
    route: 'GET /videos',
    access: 'read',
    summary: 'List video jobs',
    description: "Lists the jobs of the key's workspace, the newest first.",
    query: z.object({
      ...pageQuery,
      status: jobStatus.optional().meta({ description: 'Only jobs in this state.' }),
      model: text({ min: 1, max: 256 }).optional().meta({
        description: 'Only jobs of this model, by any of its names.',
      }),
      created_after: moment.optional().meta({ description: 'Only jobs accepted at this time or later.' }),
      created_before: moment.optional().meta({ description: 'Only jobs accepted before this time.' }),
    }),
    responses: {
      200: { description: 'One page of jobs.', schema: videoList, example: examples.videoList },
    },
  },

  listVideoModels: {
    route: 'GET /videos/models',
    access: 'any',
    summary: 'List video models',
    description: 'Lists the models that can be requested now, with their parameters and prices.',
    responses: {
      200: { description: 'The models.', schema: videoModelList, example: examples.videoModelList },
    },
    errors: [400],
  },

  getVideo: {
    route: 'GET /videos/{jobId}',
    access: 'read',
    summary: 'Get a video job',
    description:
      'Returns at once, or with `wait` when `status` changes. A change of `progress` alone does not end the wait, and a job that has ended is returned at once. A restart of the gateway may end the wait earlier: check `status`, and repeat the request.',
    params: jobParams,
    query: z.object({
      wait: queryInteger({ min: 0, max: MAX_WAIT }).default(0).meta({
        description: 'The longest time, in seconds, to wait for another `status`.',
      }),
    }),
    responses: {
      200: {
        description: 'The job as it is now.',
        schema: video,
        headers: {
          'Retry-After':
            'The number of seconds until the next useful request. Present while the job is open.',
        },
        example: examples.completedVideo,
      },
    },
    errors: [403, 404],
  },

  cancelVideo: {
    route: 'POST /videos/{jobId}/cancel',
    access: 'read',
    summary: 'Cancel a video job',
    description:
      'Requests the end of an open job, and asks the provider to stop. A repeated request has no further effect. A job that has ended in another way is a 409. If the provider stops the job, it costs the amount that the provider reports, at most its price; without a report it costs nothing. If the provider does not stop it, or has already made the video, it costs its price. It costs nothing if it was not submitted, or if the provider could not be asked. A cancel has no effect while the finished file is being stored: the job completes and is billed.',
    params: jobParams,
    responses: {
      200: {
        description:
          'The job. It is cancelled already, or will be, unless its finished file is being stored.',
        schema: video,
        example: examples.openVideo,
      },
    },
    errors: [404, 409],
  },

  getVideoContent: {
    route: 'GET /videos/{jobId}/content',
    access: 'read',
    summary: 'Download an output',
    description:
      'Returns the bytes of one output; HEAD returns the headers alone. Before the job has completed, the response is a 409; after the output has expired, it is a 410.',
    params: jobParams,
    query: z.object({
      index: queryInteger({ min: 0 }).default(0).meta({ description: 'The index of the output, from 0.' }),
    }),
    headers: contentHeaders,
    responses: contentResponses,
    errors: [403, 404, 409, 410, 416, 502],
  },

  getVideoOutput: {
    route: 'GET /videos/{jobId}/outputs/{index}',
    access: 'signed',
    summary: 'Download an output by signed URL',
    description:
      'Serves the signed URLs in `urls`, without an API key. An altered URL is a 404, and an expired one a 410. Before the job has completed, the response is a 409.',
    params: jobParams.extend({ index: queryInteger({ min: 0 }) }),
    query: z.object({
      expires: z.string().meta({ description: 'Unix seconds.' }),
      signature: z.string(),
    }),
    headers: contentHeaders,
    responses: contentResponses,
    errors: [404, 409, 410, 416, 502],
  },
});
