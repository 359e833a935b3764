/** Validates a private endpoint, and presents the checks. */
import type { validationOperations } from '../../contract/endpoints/endpoint-validation.ts';
import type { ValidationRecord, ValidationResult } from '../../contract/endpoints/validation.ts';
import type { Check, Validation } from '../../domain/endpoints/validation.ts';
import { actorOf } from '../../domain/principal.ts';
import type {
  ShownValidation,
  ValidationService,
} from '../../services/endpoints/validation/validation-service.ts';
import { requireId } from '../../services/require-found.ts';
import type { RoutesOf } from '../http/route.ts';

/** Rejects text that cannot be an id with a 404, before the body is read. */
export const admitEndpointId = {
  admit({ params }: { params: { id: string } }): void {
    requireId(params.id);
  },
};

export const validationRoutes: RoutesOf<typeof validationOperations, { validations: ValidationService }> = {
  /**
   * Handles `POST /private-endpoints/{id}/validate`: checks the upstream of a private endpoint and returns the result.
   */
  validatePrivateEndpoint: {
    ...admitEndpointId,
    handle: async (call, { services }) => {
      const validation = await services.validations.validate(
        actorOf(call),
        call.params.id,
        call.body.workspace_id,
        call.gone(),
      );
      return { status: 200, body: { data: presentValidationResult(validation) } };
    },
  },
};

/** Presents an ended run. */
export function presentValidationResult({ state, checks }: Validation): ValidationResult {
  return { passed: state === 'passed', checks: checks.map(presentCheck) };
}

/** Presents the field `validation` of an endpoint. */
export function presentValidation(shown: ShownValidation | null): ValidationRecord {
  if (shown === null) return null;
  const { state, checks, createdAt, finishedAt } = shown.validation;
  const isRunning = state === 'running';
  return {
    state,
    passed: isRunning ? null : state === 'passed',
    // Before each check, an open run stores the check as failed, in case its worker dies. That entry is not shown.
    checks: checks.filter(({ passed }) => passed || !isRunning).map(presentCheck),
    is_current: shown.isCurrent,
    created_at: createdAt.toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
  };
}

function presentCheck(check: Check): ValidationResult['checks'][number] {
  const { name, passed, reason, actualModel, upstreamMessage, upstreamStatus } = check;
  return {
    name,
    passed,
    reason,
    actual_model: actualModel,
    upstream_message: upstreamMessage,
    upstream_status: upstreamStatus,
  };
}
