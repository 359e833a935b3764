/** The checks of a private endpoint, in the order of execution. */
export const CHECK_NAMES = [
  'base_url_allowed',
  'credential_ok',
  'model_answers',
  'stream_ok',
  'usage_reported',
  'parameters_ok',
] as const;
export type CheckName = (typeof CHECK_NAMES)[number];

export const CHECK_REASONS = [
  'database_error',
  'endpoint_limit_reached',
  'invalid_base_url',
  'model_not_found',
  'provider_not_found',
  'endpoint_not_found',
  'workspace_not_found',
  'no_byok_key',
  'key_decryption_failed',
  'upstream_error',
  'interrupted',
  'invalid_response',
  'invalid_stream',
  'missing_usage',
  'model_mismatch',
  'not_validated',
  'validation_stale',
] as const;
export type CheckReason = (typeof CHECK_REASONS)[number];

export interface Check {
  name: CheckName;
  passed: boolean;
  /** The reason of the failure. */
  reason?: CheckReason;
  /** The model that the upstream reports, if it differs from the requested one. */
  actualModel?: string | undefined;
  /** The upstream's message, without secrets and addresses. */
  upstreamMessage?: string | undefined;
  upstreamStatus?: number | undefined;
}

export const VALIDATION_STATES = ['running', 'passed', 'failed'] as const;
export type ValidationState = (typeof VALIDATION_STATES)[number];

/** One run of the checks. */
export interface Validation {
  id: string;
  endpointId: string;
  /** The workspace whose credentials were used. */
  workspaceId: string;
  /** The digest of the tested configuration. */
  digest: string;
  /** True: the endpoint becomes active if the checks pass. */
  activates: boolean;
  state: ValidationState;
  /** The checks up to the first failure. They are also the result if the worker dies during the run. */
  checks: Check[];
  createdAt: Date;
  finishedAt: Date | null;
}

/** A validation with the names of its endpoint, for lists. */
export interface ListedValidation extends Validation {
  modelPermaslug: string;
  providerName: string;
}

/** The longest duration of a run. A run that takes longer counts as lost. */
export const MAX_VALIDATION_MS = 120_000;
/** The longest duration of one upstream call. */
export const MAX_CHECK_CALL_MS = 20_000;
/** The most validations that an organization may run at a time. All organizations share the slots of one queue. */
export const MAX_OPEN_VALIDATIONS = 5;
/** The days for which a validation is kept after its end. */
export const VALIDATION_RETENTION_DAYS = 30;
/** The time for which a passed validation permits activation of the endpoint. */
export const VALIDATION_FRESH_MS = 24 * 3_600_000;
