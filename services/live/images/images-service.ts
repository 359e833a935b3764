/** Generates pictures for callers, and lists the models that can. */
import type { LiveModel } from '../../../domain/catalog/catalog.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { unknownModel } from '../../catalog/unreachable-model.ts';
import type { EventStream } from '../../../platform/event-stream.ts';
import type { LiveCall } from '../live-call.ts';
import type { LiveDeps } from '../live-deps.ts';
import { runLive } from '../pipeline/run-live.ts';
import type { ImagesResult } from './ended-images.ts';
import { imagesOperation } from './images-operation.ts';
import type { ImagesBody } from './images-request.ts';

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
    ): Promise<{ generationId: string } & ({ result: ImagesResult } | { events: EventStream })> {
      const { generationId, result } = await runLive(deps, operation, call);
      return { generationId, ...result };
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
