/** Tells the operator about endpoints whose provider no longer has the model. */
import type { GoneEndpointStore } from '../../db/catalog/gone-endpoint-store.ts';
import type { ProviderError } from '../../domain/provider-error.ts';
import type { Logger } from '../../platform/logger.ts';

export interface GoneModelsOptions {
  store: Pick<GoneEndpointStore, 'note'>;
  logger: Pick<Logger, 'warn'>;
  now?: (() => number) | undefined;
}

/** The shortest time between two notes about an endpoint in one process. */
const NOTE_EVERY_MS = 3_600_000;

/**
 * Creates the notes of one process: a log line and a row that `admin catalog list` shows. A note disables nothing.
 * Requests still try the endpoint, unless its circuit is open, because a provider may err.
 */
export function createGoneModels({ store, logger, now = Date.now }: GoneModelsOptions) {
  const notedAtMs = new Map<string, number>();
  return {
    /** Notes an error that says that the model is gone. Others are ignored. Never delays or fails a request. */
    note({ id, providerSlug }: { id: string; providerSlug: string }, error: ProviderError): void {
      if (!error.isModelGone) return;
      const nowMs = now();
      if (nowMs - (notedAtMs.get(id) ?? -Infinity) < NOTE_EVERY_MS) return;
      notedAtMs.set(id, nowMs);
      const facts = { endpoint: id, provider: providerSlug, error: error.brief };
      logger.warn(facts, 'the provider says that it does not have the model of an endpoint');
      store.note(id).catch((cause: unknown) => {
        notedAtMs.delete(id);
        logger.warn({ err: cause, endpoint: id }, 'an endpoint without its model was not recorded');
      });
    },
  };
}

export type GoneModels = ReturnType<typeof createGoneModels>;
