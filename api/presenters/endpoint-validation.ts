import type { EndpointValidationRecord } from '../../contract/endpoints/private-endpoint-validation.ts';
import type { ShownValidation } from '../../services/endpoints/private-endpoint-service.ts';

/** Shows the last run of an endpoint's checks. */
export function presentEndpointValidation(validation: ShownValidation): EndpointValidationRecord {
  const { state, checks, createdAt, finishedAt, isCurrent } = validation;
  return {
    state,
    passed: state === 'running' ? null : state === 'passed',
    checks,
    created_at: createdAt.toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
    is_current: isCurrent,
  };
}
