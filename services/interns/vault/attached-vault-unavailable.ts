import { AppError } from '../../../domain/errors.ts';

/** Returns the 404 for an intern that has no secrets, because the intern whose vault it borrows was deleted. */
export function attachedVaultUnavailable(): AppError {
  return new AppError('not_found', { reason: 'attached_vault_unavailable' });
}
