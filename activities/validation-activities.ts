import {
  endValidation,
  type ValidateDeps,
  validateEndpoint,
} from '../services/endpoints/validation/validate-endpoint.ts';

/**
 * Creates the activities that validate a private endpoint. They store the checks in the row of the validation and
 * return only whether the checks passed, so that no message of an upstream enters a workflow's history.
 */
export function createValidationActivities(deps: ValidateDeps, stopping: AbortSignal) {
  return {
    /** Makes all checks and stores the result. Returns whether they passed. */
    async checkPrivateEndpoint(validationId: string): Promise<boolean> {
      return validateEndpoint(deps, validationId, stopping);
    },

    /**
     * Stores the result of an interrupted run: the checks that it made. Keeps a result that is stored already.
     * `hasBegun` says that a worker had taken the checks.
     */
    async endValidation(validationId: string, hasBegun: boolean): Promise<boolean> {
      return endValidation(deps, validationId, hasBegun);
    },
  };
}

export type ValidationActivities = ReturnType<typeof createValidationActivities>;
