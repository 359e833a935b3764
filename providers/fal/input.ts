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

/**
 * Returns the path of an app below the base URL, and its input. Vendor options come first, so they cannot replace the
 * priced fields. Pictures are passed on unchanged: fal takes data URLs and fetches http URLs itself. Throws
 * ProviderError `invalid_request`, before anything is sent, for fields that the app lacks.
 */
export function createAppCall(request: VideoSubmitRequest): { path: string; input: Record<string, unknown> } {
  rejectUnsupportedFields(request);
  rejectContinuation(request);
  rejectMixedPictures(request);
  checkDataUrls(request);
  const { upstreamModel, prompt, passthrough } = request;
  const app = appOf(upstreamModel);
  const way = wayOf(app, request);
  const input = { prompt, ...sharedFields(app, way, request), ...mediaOf(way, request) };
  return {
    path: upstreamModel.split('/').map(encodeURIComponent).join('/') + way.path,
    input: { ...passthrough, ...withoutUndefined(input) },
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

/** Returns the frames and the lists of references, by the app's names of their fields. */
function mediaOf(
  { media }: Way,
  { frameImages = [], inputReferences = [] }: VideoSubmitRequest,
): Record<string, string | string[]> {
  const frames = frameImages.map(({ url, frameType }) => [media[frameType] ?? reject('this frame'), url]);
  const byKind = Map.groupBy(inputReferences, ({ kind }) => kind);
  const references = [...byKind].map(([kind, list]) => [
    media[kind] ?? reject(`references of the kind ${kind}`),
    list.map(({ url }) => url),
  ]);
  return Object.fromEntries([...frames, ...references]);
}
