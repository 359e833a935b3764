/** Presents the errors of creating a private endpoint whose activation did not succeed. */
import { errorTable } from '../../contract/errors.ts';
import type { NotActivated } from '../../contract/endpoints/activation.ts';
import { AppError } from '../../domain/errors.ts';
import type { NamedEndpoint } from '../../db/endpoints/endpoint-store.ts';
import type { BrokenActivation } from '../../services/endpoints/broken-activation.ts';
import type { ActivationOutcome } from '../../services/endpoints/validation/validation-service.ts';
import { presentError } from '../http/errors/present-error.ts';
import { presentManagedEndpoint } from './present-private-endpoint.ts';
import { presentValidationResult } from './present-validation.ts';

/** Presents a created draft whose activation failed or has an unknown outcome, with the reason. */
export function presentNotActivated(
  endpoint: NamedEndpoint,
  activation: Exclude<ActivationOutcome, { kind: 'activated' }> | BrokenActivation,
): NotActivatedAnswer {
  const managed = presentManagedEndpoint(endpoint);
  if (activation.kind === 'unknown') {
    const { headers, body } = presentError(activation.error);
    const { status } = errorTable[activation.code];
    return { status, headers, body: { ...body, data: { endpoint: managed, validation: null } } };
  }
  if (activation.kind === 'running') {
    const { body } = presentError(new AppError('timeout', { reason: 'validation_running' }));
    return { status: 408, body: { ...body, data: { endpoint: managed, validation: null } } };
  }
  const { validation } = activation;
  const failed = validation.checks.find(({ passed }) => !passed);
  const reason = activation.kind === 'stale' ? 'validation_stale' : (failed?.reason ?? 'not_validated');
  const { body } = presentError(new AppError('invalid_argument', { reason }));
  const data = { endpoint: managed, validation: presentValidationResult(validation) };
  return { status: 422, body: { ...body, data } };
}

/** The error answer to a create, with the draft that was created. */
interface NotActivatedAnswer {
  status: 408 | 409 | 422 | 503;
  headers?: Record<string, string>;
  body: NotActivated;
}
