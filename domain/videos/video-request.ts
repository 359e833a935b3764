/** Defines video requests, and checks them against what an endpoint can make. */
import type { FrameType, ReferenceKind, VideoCapabilities } from '../catalog/catalog.ts';
import type { Issue } from '../errors.ts';
import type { Shape, Size } from '../pixel-size.ts';
import { resolveShape } from './video-shape.ts';

/** A video request in the product's own terms; `contract/videos/videos.ts` has the wire format. */
export interface VideoRequest {
  model: string;
  prompt?: string | undefined;
  durationSeconds?: number | undefined;
  aspectRatio?: string | undefined;
  resolution?: string | undefined;
  size?: Size | undefined;
  seed?: number | undefined;
  generateAudio?: boolean | undefined;
  /** Media URLs are normalized by `normalizeMediaUrl`. */
  frameImages?: { url: string; frameType: FrameType }[] | undefined;
  inputReferences?: { kind: ReferenceKind; url: string }[] | undefined;
  previousJobId?: string | undefined;
  upscaleFactor?: number | undefined;
  creativity?: number | undefined;
  callbackUrl?: string | undefined;
  sessionId?: string | undefined;
  user?: string | undefined;
  trace?: Record<string, unknown> | undefined;
  /** Vendor options by provider slug; each provider receives only its own. */
  passthrough?: Record<string, Record<string, unknown>> | undefined;
}

/** The shape of a video, with the defaults of one endpoint filled in. */
export interface ShapedRequest extends Shape {
  durationSeconds?: number | undefined;
  generateAudio: boolean;
}

/**
 * Checks a request against an endpoint's capabilities, before any spending. Each broken rule is an issue that lists the
 * allowed values.
 */
export function shapeRequest(
  request: VideoRequest,
  capabilities: VideoCapabilities,
  providerSlug: string,
): ShapedRequest | { issues: Issue[] } {
  const shape = resolveShape(request, capabilities);
  const issues = [
    ...promptIssues(request, capabilities),
    ...durationIssues(request.durationSeconds, capabilities.durations),
    ...frameIssues(request, capabilities.frameImages),
    ...referenceIssues(request, capabilities.inputReferences),
    ...extraIssues(request, capabilities),
    ...passthroughIssues(request.passthrough?.[providerSlug], capabilities, providerSlug),
    ...('issues' in shape ? shape.issues : []),
  ];
  if ('issues' in shape || issues.length > 0) return { issues };
  return {
    ...shape,
    durationSeconds: request.durationSeconds ?? capabilities.durations?.[0],
    generateAudio: request.generateAudio ?? capabilities.generateAudio ?? false,
  };
}

function promptIssues(request: VideoRequest, capabilities: VideoCapabilities): Issue[] {
  if (request.prompt !== undefined) return [];
  const hasImage =
    (request.frameImages?.length ?? 0) > 0 ||
    (request.inputReferences ?? []).some((reference) => reference.kind !== 'audio');
  if (capabilities.promptOptional && hasImage) return [];
  const message = capabilities.promptOptional
    ? 'is required unless an image or video is given'
    : 'is required by this model';
  return [{ path: 'body.prompt', message }];
}

function durationIssues(seconds: number | undefined, allowed: number[] | null): Issue[] {
  if (seconds === undefined || allowed?.includes(seconds)) return [];
  const message =
    allowed === null ? 'is not supported by this model' : `must be one of ${allowed.join(', ')}`;
  return [{ path: 'body.duration', message }];
}

function frameIssues(request: VideoRequest, allowed: FrameType[] | null): Issue[] {
  const seen = new Set<FrameType>();
  return (request.frameImages ?? []).flatMap(({ frameType }, index) => {
    const path = `body.frame_images.${index}.frame_type`;
    if (!allowed?.includes(frameType)) {
      return [
        { path, message: `must be one of ${allowed?.join(', ') || 'none: this model takes no frames'}` },
      ];
    }
    if (seen.has(frameType)) return [{ path, message: `${frameType} is given twice` }];
    seen.add(frameType);
    return [];
  });
}

/** Returns issues for unsupported picture references. Unsupported audio and video references are ignored. */
function referenceIssues(request: VideoRequest, allowed: ReferenceKind[] | null): Issue[] {
  return (request.inputReferences ?? []).flatMap(({ kind }, index) =>
    kind === 'image' && !allowed?.includes('image')
      ? [{ path: `body.input_references.${index}`, message: 'this model takes no reference images' }]
      : [],
  );
}

const UPSCALING_ONLY = 'is taken by upscaling models only';

function extraIssues(request: VideoRequest, capabilities: VideoCapabilities): Issue[] {
  const issues: Issue[] = [];
  if (request.generateAudio === true && capabilities.generateAudio !== true) {
    issues.push({ path: 'body.generate_audio', message: 'this model makes no audio' });
  }
  if (request.previousJobId !== undefined && !capabilities.continuation) {
    issues.push({ path: 'body.previous_job_id', message: 'this model cannot continue an earlier job' });
  }
  const { creativity, upscaleFactor } = capabilities;
  if (request.creativity !== undefined && !creativity?.includes(request.creativity)) {
    const isTaken = creativity !== null && creativity.length > 0;
    const message = isTaken ? `must be one of ${creativity.join(', ')}` : UPSCALING_ONLY;
    issues.push({ path: 'body.creativity', message });
  }
  if (request.upscaleFactor !== undefined) {
    const { min = 0, max = Infinity } = upscaleFactor ?? { max: -1 };
    if (request.upscaleFactor < min || request.upscaleFactor > max) {
      const allowed = upscaleFactor === null ? UPSCALING_ONLY : `must be from ${min} to ${max}`;
      issues.push({ path: 'body.upscale_factor', message: allowed });
    }
  }
  return issues;
}

function passthroughIssues(
  options: Record<string, unknown> | undefined,
  capabilities: VideoCapabilities,
  providerSlug: string,
): Issue[] {
  const allowed = capabilities.passthroughParameters;
  return Object.keys(options ?? {}).flatMap((name) =>
    allowed.includes(name)
      ? []
      : [
          {
            path: `body.provider.options.${providerSlug}.${name}`,
            message: `must be one of ${allowed.join(', ') || 'none: this endpoint takes no options'}`,
          },
        ],
  );
}
