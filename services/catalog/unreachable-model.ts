/** Explains to a caller that a model cannot be reached, and which names resemble the one that was sent. */
import { nearestNames } from '../../domain/catalog/nearest-names.ts';
import { clip } from '../../domain/clip.ts';
import { AppError } from '../../domain/errors.ts';

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
  return notFound('model_not_found', path, message);
}

/** Returns the 404 for a model of the catalog for which this deployment has no credential. */
export function modelWithoutCredential(name: string, path: string): AppError {
  const message = `${name} is served by providers that this deployment has no credential of`;
  return notFound('no_credential', path, message);
}

function notFound(reason: string, path: string, message: string): AppError {
  return new AppError('not_found', { reason, issues: [{ path, message }], publicMessage: message });
}
