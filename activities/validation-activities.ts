import {
  endValidation,
  type ValidateDeps,
  validateEndpoint,
} from '../services/endpoints/validation/validate-endpoint.ts';

/** The steps of the validation of a private endpoint. Results lie in its row: what an upstream says is no fact for history. */
export function createValidationActivities(deps: ValidateDeps, stopping: AbortSignal) {
  return {
    /** Makes all checks and stores the result. Returns whether they passed. */
    async checkPrivateEndpoint(validationId: string): Promise<boolean> {
      return validateEndpoint(deps, validationId, stopping);
    },

    /** Stores as the result what was noted before the checks were broken off. Changes no stored result. */
    async endValidation(validationId: string): Promise<boolean> {
      return endValidation(deps, validationId);
    },
  };
}

export type ValidationActivities = ReturnType<typeof createValidationActivities>;
