/** Translates a video request to the path and the input of an app on fal. */
import { withoutUndefined } from '../../domain/fields.ts';
import { unsupported, type VideoSubmitRequest } from '../video-adapter.ts';
import {
  checkDataUrls,
  rejectContinuation,
  rejectMixedPictures,
  rejectUnsupportedFields,
} from '../video-requests.ts';
import { type App, appOf, type Way } from './apps.ts';

export interface AppCall {
  /** The app's path below the base URL. */
  path: string;
  input: Record<string, unknown>;
}

/**
 * Builds the call of an app. Vendor options come first, so they cannot replace the priced fields. Pictures are passed
 * on unchanged: fal takes data URLs and fetches http URLs itself. Throws ProviderError `invalid_request`, before
 * anything is sent, for fields that the app lacks.
 */
export function createAppCall(request: VideoSubmitRequest): AppCall {
  rejectUnsupportedFields(request);
  rejectContinuation(request);
  rejectMixedPictures(request);
  checkDataUrls(request);
  const app = appOf(request.upstreamModel);
  const way = wayOf(app, request);
  const input = {
    prompt: request.prompt,
    ...sharedFields(app, way, request),
    ...frames(way, request),
    ...references(way, request),
  };
  return {
    path: `${request.upstreamModel.split('/').map(encodeURIComponent).join('/')}${way.path}`,
    input: { ...request.passthrough, ...withoutUndefined(input) },
  };
}

/** Returns the way of the app that serves the pictures of a request. */
function wayOf(app: App, { frameImages = [], inputReferences = [] }: VideoSubmitRequest): Way {
  if (inputReferences.length > 0) return app.references ?? reject('references');
  return frameImages.length > 0 ? (app.frames ?? reject('frames')) : app.text;
}

function reject(what: string): never {
  throw unsupported(what);
}

function sharedFields(app: App, { fields }: Way, request: VideoSubmitRequest): Record<string, unknown> {
  const values = {
    duration: durationOf(app, request.durationSeconds),
    resolution: request.resolution?.toLowerCase(),
    aspect_ratio: request.aspectRatio,
    seed: request.seed,
    generate_audio: request.generateAudio,
  };
  return Object.fromEntries(fields.map((name) => [name, values[name]]));
}

function durationOf({ duration }: App, seconds: number | undefined): string | number | undefined {
  if (seconds === undefined || duration === 'number') return seconds;
  return duration === 'text' ? `${seconds}` : `${seconds}s`;
}

function frames(
  { firstFrame, lastFrame }: Way,
  { frameImages = [] }: VideoSubmitRequest,
): Record<string, string> {
  const named = frameImages.map(({ url, frameType }) => {
    const name = frameType === 'first_frame' ? firstFrame : lastFrame;
    return [name ?? reject('this frame'), url] as const;
  });
  return Object.fromEntries(named);
}

function references(way: Way, { inputReferences = [] }: VideoSubmitRequest): Record<string, string[]> {
  const byKind = Map.groupBy(inputReferences, ({ kind }) => kind);
  return Object.fromEntries(
    [...byKind].map(([kind, list]) => [
      way.references?.[kind] ?? reject(`references of the kind ${kind}`),
      list.map(({ url }) => url),
    ]),
  );
}
