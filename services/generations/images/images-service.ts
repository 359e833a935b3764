import type { LiveModel } from '../../../domain/catalog.ts';
import { AppError } from '../../../domain/errors.ts';
import type { Target } from '../../../domain/routing.ts';
import type { LiveCallContext } from '../../../providers/call-context.ts';
import type { Base64, ImageAnswer, ImageEvent, ImageRequest } from '../../../providers/image-adapter.ts';
import type { Catalog } from '../../routing/catalog.ts';
import { attemptGeneration, failAnswered, nothingUsed } from '../attempt-generation.ts';
import { highestCost } from '../attempt-live.ts';
import { type BegunImages, billOf, guessCost, type ImagesSource } from './begun-images.ts';
import { openGeneration } from '../generation.ts';
import type { ImagesBill } from './images-bill.ts';
import { createFits, type ImagesBody, toAskedImages } from './images-request.ts';
import { mediaTypeOf, streamImages } from './images-stream.ts';
import type { EventStream } from '../event-stream.ts';
import type { LiveCall } from '../live-call.ts';
import type { LiveDeps } from '../live-deps.ts';
import { planTargets } from '../plan-targets.ts';
import { settleGeneration } from '../settle-generation.ts';
import type { ShownUsage } from '../token-usage.ts';

/** Pictures as they are answered. */
export interface ImagesResult {
  /** Unix seconds. */
  created: number;
  images: { b64Json: Base64; mediaType: string }[];
  usage: ShownUsage;
}

export interface ImagesService {
  /**
   * The pictures, once their row is in the ledger. Where the caller wants a stream and the endpoint streams, it is the
   * events instead: it resolves when the first are there, and the generation is in the ledger before the last.
   */
  create(
    call: LiveCall<ImagesBody>,
  ): Promise<{ generationId: string } & ({ result: ImagesResult } | { events: EventStream })>;
  /** Those that can be asked for now. */
  models(): LiveModel[];
  /** By id or canonical slug; 404 when it is unknown or cannot be reached. */
  model(name: string): LiveModel;
  providerName(slug: string): string;
}

type ImagesDeps = LiveDeps & { catalog: Pick<Catalog, 'liveModels'> };

export function createImagesService(deps: ImagesDeps): ImagesService {
  return {
    async create(call) {
      const begun = await begin(deps, call);
      const result = await attemptGeneration(deps, begun, (target, context) =>
        ask(deps, begun, target, context),
      );
      const { answer, ...rest } = result.answered;
      const source = { ...rest, responses: result.responses };
      const generationId = begun.open.id;
      begun.open.streamed = !('images' in answer);
      if ('images' in answer) return { generationId, result: await finish(deps, begun, source, answer) };
      return { generationId, events: streamImages(deps, begun, { ...source, answer }) };
    },
    models: () => deps.catalog.liveModels('image'),
    model(name) {
      const model = deps.catalog.findLiveModel(name, 'image');
      if (model === undefined) throw new AppError('not_found', { reason: 'model_not_found' });
      return model;
    },
    providerName: deps.catalog.providerName,
  };
}

async function begin(deps: LiveDeps, call: LiveCall<ImagesBody>): Promise<BegunImages> {
  deps.ledger.requireOpen();
  const { principal } = call;
  // What it asks for is all there is, whatever an endpoint has to be able to do.
  const { response_format: _, ...body } = call.body;
  const settings = await deps.settingsOf(principal.workspaceId);
  const asked = toAskedImages(body as ImagesBody);
  const fits = createFits(asked, body.provider?.options);
  const beginning = { call, asked, fits };
  const targets = planTargets(deps, 'image', body, settings, {
    issuesAt: fits.issuesAt,
    // One picture is compared with one, however many an endpoint makes at a time.
    costAt: (endpoint) => guessCost(beginning, endpoint, 1),
  });
  const open = openGeneration({
    apiType: 'image',
    call,
    presetId: null,
    user: body.user,
    input: call.body.prompt,
    settings,
    inputModalities: asked.references.length > 0 ? ['text', 'image'] : ['text'],
    streamed: body.stream === true,
  });
  const usage = highestCost(targets, ({ endpoint }) => guessCost(beginning, endpoint, fits.of(endpoint).n));
  // Last: whoever has the reservation must give it back, and nothing between here and there can fail.
  const reservation = await deps.spending.reserve(principal, { usage, byok: 0n });
  return { ...beginning, open, targets, reservation };
}

/** Undefined when this process cannot speak to the provider. */
function ask(
  { providers }: LiveDeps,
  begun: BegunImages,
  { endpoint }: Target,
  context: LiveCallContext,
): Promise<ImageAnswer | AsyncIterable<ImageEvent[]>> | undefined {
  const { body } = begun.call;
  const adapter = providers.imageAdapter(endpoint.providerSlug);
  const options = body.provider?.options?.[endpoint.providerSlug];
  const request: ImageRequest = {
    ...begun.fits.of(endpoint),
    model: endpoint.upstreamModelId,
    prompt: body.prompt,
    references: begun.asked.references,
    ...(options && { options }),
  };
  const streams = body.stream === true && endpoint.image?.streaming === true;
  return streams && adapter?.stream ? adapter.stream(request, context) : adapter?.generate(request, context);
}

async function finish(
  deps: LiveDeps,
  begun: BegunImages,
  source: Omit<ImagesSource, 'answer'>,
  { images, usage: counted }: ImageAnswer,
): Promise<ImagesResult> {
  const { target, responses, startedAtMs } = source;
  const { open, reservation, asked, fits } = begun;
  let bill: ImagesBill;
  try {
    bill = billOf(begun, target.endpoint, { pictures: images.length, partials: 0, counted });
  } catch (cause) {
    throw await failAnswered(deps, begun, source, cause);
  }
  deps.health.record(target.endpoint.id, { ok: true, latencyMs: Date.now() - startedAtMs });
  await settleGeneration(deps, open, reservation, {
    ...nothingUsed(target),
    responses,
    status: 'completed',
    usage: bill.usage,
    costNanos: bill.cost.totalNanos,
    outputModalities: ['image'],
    finishReason: 'stop',
    mediaPrompt: asked.references.length,
    mediaCompletion: images.length,
    answeredAtMs: Date.now(),
  });
  const usual = mediaTypeOf(fits.of(target.endpoint));
  return {
    created: Math.floor(open.startedAtMs / 1_000),
    images: images.map(({ b64Json, mediaType = usual }) => ({ b64Json, mediaType })),
    usage: bill.shown,
  };
}
