/** Explains to a caller which operation serves a model that the requested operation does not serve. */
import type { LiveCapability } from '../../domain/catalog/catalog.ts';
import { AppError } from '../../domain/errors.ts';
import type { Catalog } from './catalog.ts';

export type Capability = LiveCapability | 'video';

/** The phrase for models of each kind, and the operation that serves them. */
const SERVED_BY: Readonly<Record<Capability, readonly [does: string, operation: string]>> = {
  chat: ['is a chat model', 'POST /chat/completions'],
  embeddings: ['makes embeddings', 'POST /embeddings'],
  rerank: ['sorts documents', 'POST /rerank'],
  image: ['makes images', 'POST /images'],
  speech: ['says a text', 'POST /audio/speech'],
  video: ['makes videos', 'POST /videos'],
};

/**
 * Returns a 404 that names the operation which serves the model. Returns null when the catalog lacks the model or when
 * the requested operation serves it. `called` is the name to show in the message.
 */
export function servedElsewhere(
  catalog: Pick<Catalog, 'findKnownModel'>,
  name: string,
  requested: Capability,
  path: string,
  called = name,
): AppError | null {
  const other = otherUse(catalog, name, requested);
  if (other === null) return null;
  const [does, operation] = SERVED_BY[other];
  const message = `${called} ${does}: use ${operation}`;
  return new AppError('not_found', {
    reason: 'model_not_found',
    issues: [{ path, message }],
    publicMessage: message,
  });
}

function otherUse(
  catalog: Pick<Catalog, 'findKnownModel'>,
  name: string,
  requested: Capability,
): Capability | null {
  const known = catalog.findKnownModel(name);
  if (known === undefined) return null;
  const uses: Capability[] = known.endpoints.map(({ capability }) => capability);
  if (known.outputModalities.includes('video')) uses.push('video');
  return uses.includes(requested) ? null : (uses[0] ?? null);
}
