/** The checks of a private endpoint, in the order in which they are made. */
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
  /** Why it failed. */
  reason?: CheckReason;
  /** The model that the upstream says it has used, where that is not the one that was asked for. */
  actualModel?: string;
  /** The words of the upstream, without secrets and addresses. */
  upstreamMessage?: string;
  upstreamStatus?: number;
}

export type ValidationState = 'running' | 'passed' | 'failed';

/** One run of the checks. */
export interface Validation {
  id: string;
  endpointId: string;
  /** Its credentials were used. */
  workspaceId: string;
  /** The configuration that was tested. */
  digest: string;
  /** The endpoint becomes active when the checks pass. */
  activates: boolean;
  state: ValidationState;
  /** The checks up to the first failure. While a run goes on, they are the result that it has if its worker dies. */
  checks: Check[];
  createdAt: Date;
  finishedAt: Date | null;
}

/** The longest time of a run. A run that seems to take longer has been lost. */
export const MAX_VALIDATION_MS = 120_000;
/** The longest time of one call of an upstream. */
export const MAX_CHECK_CALL_MS = 20_000;
/** The most validations that an organization may have running at a time: all organizations share the slots of one queue. */
export const MAX_OPEN_VALIDATIONS = 5;
/** How long a passed validation allows to activate the endpoint. */
export const VALIDATION_FRESH_MS = 24 * 3_600_000;
