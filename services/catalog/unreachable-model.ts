import { AppError } from '../../domain/errors.ts';

/** Returns the 404 for a model that is unknown, or for which this deployment has no credential. */
export function unreachableModel(name: string, hasNoCredential: boolean, path: string): AppError {
  const message = hasNoCredential
    ? `${name} is served by providers that this deployment has no credential of`
    : `${name} is not a model that this deployment can reach`;
  const reason = hasNoCredential ? 'no_credential' : 'model_not_found';
  return new AppError('not_found', { reason, issues: [{ path, message }] });
}
