import type { VideoCapabilities } from '../catalog/catalog.ts';
import type { Issue } from '../errors.ts';
import { shapeRequest, type ShapedRequest, type VideoRequest } from './video-request.ts';
import type { Names } from '../pixel-rule.ts';
import { formatSize, isSameSize } from '../pixel-size.ts';
import { mismatches } from './video-shape.ts';

/**
 * A request that continues a job, held against what an endpoint can do. The provider makes the new video out
 * of the finished one: it has its shape and, where the endpoint takes no other, its duration, and it is made
 * from a prompt. Whatever asks for something else is named.
 */
export function shapeContinuation(
  request: VideoRequest,
  previous: ShapedRequest,
  capabilities: VideoCapabilities,
  providerSlug: string,
): ShapedRequest | { issues: Issue[] } {
  const able = { ...capabilities, promptOptional: false };
  const shaped = shapeRequest(inherit(request, previous, capabilities), able, providerSlug);
  if (!capabilities.continuation) return shaped;
  const issues = [
    ...changes(request, previous, capabilities),
    ...pictures(request),
    ...('issues' in shaped ? shaped.issues : []),
  ];
  return issues.length > 0 ? { issues } : shaped;
}

/**
 * The request with what the video has from the one before in place of what it asks for. Audio is made anew, as
 * the model makes it.
 */
function inherit(
  request: VideoRequest,
  previous: ShapedRequest,
  { continuationDuration }: VideoCapabilities,
): VideoRequest {
  const {
    size: _s,
    resolution: _r,
    aspectRatio: _a,
    frameImages: _f,
    inputReferences: _i,
    ...asked
  } = request;
  const { generateAudio: _g, ...kept } = previous;
  const { durationSeconds } = asked;
  const duration = continuationDuration && durationSeconds !== undefined ? { durationSeconds } : {};
  return { ...asked, ...kept, ...duration };
}

function changes(request: VideoRequest, previous: ShapedRequest, capabilities: VideoCapabilities): Issue[] {
  const { durationSeconds, size } = request;
  const isOther = size !== undefined && !(previous.size && isSameSize(size, previous.size));
  return [
    ...nameChanges(request, previous, capabilities),
    ...(isOther ? [change('body.size', previous.size && formatSize(previous.size))] : []),
    ...(capabilities.continuationDuration
      ? []
      : mustStay('body.duration', durationSeconds, previous.durationSeconds)),
  ];
}

/** Names of a job that has only pixels need to match these. */
function nameChanges(asked: Names, previous: ShapedRequest, capabilities: VideoCapabilities): Issue[] {
  const { size, resolution, aspectRatio } = previous;
  if (size !== undefined && resolution === undefined && aspectRatio === undefined) {
    return mismatches(size, asked, capabilities);
  }
  return [
    ...mustStay('body.resolution', asked.resolution, resolution),
    ...mustStay('body.aspect_ratio', asked.aspectRatio, aspectRatio),
  ];
}

function mustStay<T extends string | number>(
  path: string,
  asked: T | undefined,
  was: T | undefined,
): Issue[] {
  return asked === undefined || asked === was ? [] : [change(path, was)];
}

function change(path: string, was: string | number | undefined): Issue {
  const message =
    was === undefined
      ? 'cannot be chosen for a continuation'
      : `must be ${was}, as in the job that is continued`;
  return { path, message };
}

/** Audio and video references are ignored where they are not supported, here as elsewhere. */
function pictures({ frameImages = [], inputReferences = [] }: VideoRequest): Issue[] {
  const message = 'is not taken with previous_job_id: the provider starts from the finished video';
  return [
    ...(frameImages.length > 0 ? [{ path: 'body.frame_images', message }] : []),
    ...inputReferences.flatMap(({ kind }, index) =>
      kind === 'image' ? [{ path: `body.input_references.${index}`, message }] : [],
    ),
  ];
}
