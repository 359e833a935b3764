/** Validates a private endpoint, and presents the checks. */
import type { validationOperations } from '../../contract/endpoints/endpoint-validation.ts';
import type {
  ListedValidationRecord,
  ValidationRecord,
  ValidationResult,
} from '../../contract/endpoints/validation.ts';
import type { Check, ListedValidation, Validation } from '../../domain/endpoints/validation.ts';
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

  /** Handles `GET /private-endpoint-validations`: lists the validations of all endpoints of the organization. */
  listPrivateEndpointValidations: async ({ principal, query }, { services }) => {
    const { validations, totalCount } = await services.validations.list(principal.organizationId, query);
    return { status: 200, body: { data: validations.map(presentListed), total_count: totalCount } };
  },
};

function presentListed(validation: ListedValidation): ListedValidationRecord {
  const { id, endpointId, workspaceId, state, createdAt, finishedAt } = validation;
  return {
    id,
    endpoint_id: endpointId,
    workspace_id: workspaceId,
    model_permaslug: validation.modelPermaslug,
    provider_name: validation.providerName,
    state,
    checks: presentChecks(validation),
    created_at: createdAt.toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
  };
}

/** Presents an ended run. */
export function presentValidationResult({ state, checks }: Validation): ValidationResult {
  return { passed: state === 'passed', checks: checks.map(presentCheck) };
}

/** Presents the field `validation` of an endpoint. */
export function presentValidation(shown: ShownValidation | null): ValidationRecord {
  if (shown === null) return null;
  const { state, createdAt, finishedAt } = shown.validation;
  return {
    state,
    passed: state === 'running' ? null : state === 'passed',
    checks: presentChecks(shown.validation),
    is_current: shown.isCurrent,
    created_at: createdAt.toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
  };
}

/** Before each check, an open run stores the check as failed, in case its worker dies. That entry is not shown. */
function presentChecks({ state, checks }: Validation): ValidationResult['checks'] {
  return checks.filter(({ passed }) => passed || state !== 'running').map(presentCheck);
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
