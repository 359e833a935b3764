/** Explains to a caller that an operation does not serve a model, and which names or operations would. */
import { nearestNames } from '../../domain/catalog/nearest-names.ts';
import { clip } from '../../domain/clip.ts';
import { AppError } from '../../domain/errors.ts';
import type { LiveCapability } from '../../domain/catalog/catalog.ts';
import type { Catalog } from './catalog.ts';

/** The most models that a message suggests. */
const MAX_SUGGESTIONS = 3;

const anyOf = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** Decides what the 404 for an unknown model says. */
interface Told {
  /** The field that names the model. */
  path: string;
  /** The name with its origin, if the caller did not send it. */
  called?: string;
  /** Returns whether the caller can reach the model of this id. Absent: the caller can reach all models of the list. */
  isReachable?(id: string): boolean;
}

/**
 * Returns the 404 for an unknown model. It suggests models of the list that have similar names and that the caller can
 * reach.
 */
export function unknownModel(
  name: string,
  models: readonly { id: string }[],
  { path, called = name, isReachable = () => true }: Told,
): AppError {
  const ids = models.map(({ id }) => id);
  const suggested = nearestNames(name, ids).filter(isReachable).slice(0, MAX_SUGGESTIONS);
  const advice =
    suggested.length > 0 ? `Did you mean ${anyOf.format(suggested)}?` : 'GET /models lists the models.';
  const message = `${clip(called, 300)} is not a model that this deployment can reach. ${advice}`;
  return notFound('model_not_found', path, message, suggested);
}

/** Returns the 404 for a model of the catalog for which this deployment has no credential. */
export function modelWithoutCredential(name: string, path: string): AppError {
  const message = `${name} is served by providers that this deployment has no credential of`;
  return notFound('no_credential', path, message);
}

function notFound(reason: string, path: string, message: string, nearestModels?: string[]): AppError {
  return new AppError('not_found', {
    reason,
    issues: [{ path, message }],
    nearestModels: nearestModels?.length === 0 ? undefined : nearestModels,
    publicMessage: message,
  });
}

type Capability = LiveCapability | 'video';

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
  return notFound('model_not_found', path, message);
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
