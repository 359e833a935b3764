/** Generates pictures for callers, and lists the models that can. */
import type { LiveEndpoint, LiveModel } from '../../../domain/catalog/catalog.ts';
import type { Modality } from '../../../domain/modality.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import type { LiveCallContext } from '../../../providers/call-context.ts';
import type { ImageAnswer, ImageEvent, ImageRequest } from '../../../providers/image-adapter.ts';
import type { EventStream } from '../../../platform/event-stream.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { unknownModel } from '../../catalog/unreachable-model.ts';
import { dearestFor, pricedFor } from '../applicable-prices.ts';
import type { LiveCall } from '../live-call.ts';
import type { LiveDeps } from '../live-deps.ts';
import { CALLERS_FAILURES_OF_MEDIA } from '../pipeline/callers-failures.ts';
import type { LiveOperation } from '../pipeline/live-operation.ts';
import { type OutcomeFacts, runLive } from '../pipeline/run-live.ts';
import { endImages, type ImagesResult } from './ended-images.ts';
import { estimatedTokensOf } from '../token-estimate.ts';
import { createFits, type ImagesBody, toRequestedImages } from './images-request.ts';
import { streamImages } from './images-stream.ts';
import { billAbandonedImages, estimateCost, type ReadImages, reserveImages } from './read-images.ts';

type Answer = ImageAnswer | AsyncIterable<ImageEvent[]>;

type ImagesDeps = LiveDeps & { catalog: Pick<Catalog, 'liveModels'> };

export function createImagesService(deps: ImagesDeps) {
  const operation = imagesOperation(deps);
  return {
    /**
     * Resolves with the pictures, once their row is in the ledger. When the caller wants a stream and the endpoint
     * streams, resolves with the events once the first ones are there. The generation is then in the ledger before the
     * last event.
     */
    async create(
      call: LiveCall<ImagesBody>,
    ): Promise<OutcomeFacts & ({ result: ImagesResult } | { events: EventStream })> {
      const { result, ...facts } = await runLive(deps, operation, call);
      return { ...facts, ...result };
    },
    /** Returns the image models that can be called now. */
    models: (): LiveModel[] => deps.catalog.liveModels('image'),
    /** Finds a model by its id or canonical slug; 404 when it is unknown or cannot be reached. */
    model(name: string): LiveModel {
      const model = deps.catalog.findLiveModel(name, 'image');
      if (model === undefined) throw unknownModel(name, deps.catalog.liveModels('image'), { path: 'params' });
      return model;
    },
    providerName: deps.catalog.providerName,
  };
}

export type ImagesService = ReturnType<typeof createImagesService>;

/** Creates the operation for pictures. Not every endpoint streams, so only the answer shows whether it is a stream. */
function imagesOperation(
  deps: LiveDeps,
): LiveOperation<ImagesBody, Answer, { result: ImagesResult } | { events: EventStream }> {
  return {
    capability: 'image',
    apiType: 'image',
    callersFailures: CALLERS_FAILURES_OF_MEDIA,
    read({ body }) {
      // `response_format` only affects the form of the answer, so routing ignores it.
      const { response_format: _, ...routable } = body;
      const requested = toRequestedImages(body);
      const fits = createFits(requested, body.provider?.options);
      const inputModalities: Modality[] = requested.references.length > 0 ? ['text', 'image'] : ['text'];
      const priced = { askedAtMs: Date.now(), modalities: inputModalities };
      const read: ReadImages = { body, requested, fits, priced };
      const tokens = estimatedTokensOf(body.prompt);
      const nowAt = (endpoint: LiveEndpoint) => pricedFor(endpoint, priced, 'image', tokens);
      // Adapters fetch the references.
      const { input_references: _references, ...searched } = body;
      return {
        routable,
        searched,
        issuesAt: ({ endpoint }) => fits.issuesAt(endpoint),
        // Compare the cost of one picture, because endpoints make different numbers of pictures in one request.
        costAt: ({ endpoint }) => estimateCost(read, nowAt(endpoint), 1),
        highestPricesAt: ({ endpoint }) => dearestFor(endpoint, priced, 'image', Infinity).pricing,
        opening: {
          input: body.prompt,
          inputModalities,
          user: body.user,
          streamed: body.stream === true,
        },
        // The tokens of the references are unknown before the upstream counts, so the prices of any length may apply.
        estimateAt: ({ endpoint }) => reserveImages(read, dearestFor(endpoint, priced, 'image', Infinity)),
        abandonedAt: ({ endpoint }) => billAbandonedImages(read, endpoint),
        ask: (target, context) => ask(deps, read, target, context),
        answered({ answer, ...rest }, open) {
          if ('images' in answer) return endImages(open, read, { ...rest, answer });
          const stream = streamImages(deps, open, read, { ...rest, answer });
          return { stream, show: (events) => ({ events }) };
        },
      };
    },
  };
}

function ask(
  { providers }: LiveDeps,
  { body, requested, fits }: ReadImages,
  target: Target,
  context: LiveCallContext,
): Promise<Answer> | undefined {
  const { endpoint } = target;
  const adapter = providers.of(target)?.image;
  const request: ImageRequest = {
    ...fits.of(endpoint),
    model: endpoint.upstreamModelId,
    prompt: body.prompt,
    references: requested.references,
    options: body.provider?.options?.[endpoint.providerSlug],
  };
  const streams = body.stream === true && endpoint.image?.streaming === true;
  return streams && adapter?.stream ? adapter.stream(request, context) : adapter?.generate(request, context);
}
