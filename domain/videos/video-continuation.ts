import type { VideoCapabilities } from '../catalog/catalog.ts';
import type { Issue } from '../errors.ts';
import { shapeRequest, type ShapedRequest, type VideoRequest } from './video-request.ts';
import type { Names } from '../pixel-rule.ts';
import { formatSize, isSameSize } from '../pixel-size.ts';
import { mismatches } from './video-shape.ts';

/**
 * Checks a request that continues a job against an endpoint's capabilities. The provider makes the new video from the
 * finished one. The new video therefore has the same shape and, if the endpoint requires it, the same duration; and the
 * request needs a prompt. Each contradicting field is an issue.
 */
export function shapeContinuation(
  request: VideoRequest,
  previous: ShapedRequest,
  capabilities: VideoCapabilities,
  providerSlug: string,
): ShapedRequest | { issues: Issue[] } {
  const promptRequired = { ...capabilities, promptOptional: false };
  const shaped = shapeRequest(inherit(request, previous, capabilities), promptRequired, providerSlug);
  if (!capabilities.continuation) return shaped;
  const issues = [
    ...changes(request, previous, capabilities),
    ...pictures(request),
    ...('issues' in shaped ? shaped.issues : []),
  ];
  return issues.length > 0 ? { issues } : shaped;
}

/** Returns the request with the values that the new video inherits. Audio is not inherited: the model makes it. */
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
    ...rest
  } = request;
  const { generateAudio: _g, ...inherited } = previous;
  const { durationSeconds } = rest;
  const duration = continuationDuration && durationSeconds !== undefined ? { durationSeconds } : {};
  return { ...rest, ...inherited, ...duration };
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

/** Returns issues for changed names. If the previous job has pixels only, names must match them. */
function nameChanges(requested: Names, previous: ShapedRequest, capabilities: VideoCapabilities): Issue[] {
  const { size, resolution, aspectRatio } = previous;
  if (size !== undefined && resolution === undefined && aspectRatio === undefined) {
    return mismatches(size, requested, capabilities);
  }
  return [
    ...mustStay('body.resolution', requested.resolution, resolution),
    ...mustStay('body.aspect_ratio', requested.aspectRatio, aspectRatio),
  ];
}

function mustStay<T extends string | number>(
  path: string,
  requested: T | undefined,
  was: T | undefined,
): Issue[] {
  return requested === undefined || requested === was ? [] : [change(path, was)];
}

function change(path: string, was: string | number | undefined): Issue {
  const message =
    was === undefined
      ? 'cannot be chosen for a continuation'
      : `must be ${was}, as in the job that is continued`;
  return { path, message };
}

/** Returns issues for pictures. Unsupported audio and video references are ignored, as in other requests. */
function pictures({ frameImages = [], inputReferences = [] }: VideoRequest): Issue[] {
  const message = 'is not supported with previous_job_id: the provider starts from the finished video';
  return [
    ...(frameImages.length > 0 ? [{ path: 'body.frame_images', message }] : []),
    ...inputReferences.flatMap(({ kind }, index) =>
      kind === 'image' ? [{ path: `body.input_references.${index}`, message }] : [],
    ),
  ];
}
