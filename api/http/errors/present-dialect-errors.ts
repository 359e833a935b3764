/** Presents errors in the envelopes of other APIs, and as an event of a stream. */
import type { ScimErrorBody } from '../../../contract/directory/scim-error.ts';
import { errorTable } from '../../../contract/errors.ts';
import {
  type DaemonErrorEnvelope,
  type DaemonErrorStatus,
  daemonErrorTable,
} from '../../../contract/interns/daemon-error.ts';
import type { ChatCompletionChunkBody } from '../../../contract/live/chat-completion.ts';
import type { CohereErrorEnvelope } from '../../../contract/live/cohere-error.ts';
import type { ErrorMessages } from '../../../contract/operation.ts';
import type { AppError, ScimType } from '../../../domain/errors.ts';
import { presentError } from './present-error.ts';

/** Presents an error in Cohere's envelope, with the same status and details. */
export function presentCohereError(error: AppError): CohereErrorEnvelope {
  const { message, metadata } = presentError(error).body.error;
  return { message, metadata };
}

/** The most broken rules in the detail. Providers show administrators only the detail. */
const NAMED_ISSUES = 5;

/** Presents an error in the form of RFC 7644, with the same status. */
export function presentScimError(error: AppError): ScimErrorBody {
  const { publicMessage, issues = [] } = error.options;
  const row = errorTable[error.code];
  const message = publicMessage ?? row.message;
  const rules = issues.slice(0, NAMED_ISSUES).map(({ path, message: rule }) => `${path} ${rule}`);
  const named = rules.join('; ');
  const scimType = error.options.scimType ?? scimTypeOf(error);
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: `${row.status}`,
    scimType,
    detail: named === '' ? message : `${message}: ${named}`,
  };
}

/** Returns the SCIM type of an error without one. An issue with the whole body means that it cannot be parsed. */
function scimTypeOf({ code, options: { issues = [] } }: AppError): ScimType | undefined {
  if (code !== 'invalid_request') return undefined;
  return issues.some(({ path }) => path === 'body') ? 'invalidSyntax' : 'invalidValue';
}

/**
 * Presents an error of daemon signing. Its table is closed: a status that is not in it, such as the 503 of an outage,
 * becomes the 500.
 */
export function presentDaemonError(error: AppError): {
  status: DaemonErrorStatus;
  body: DaemonErrorEnvelope;
} {
  const usual = presentError(error);
  const status = isOfTable(usual.status) ? usual.status : 500;
  if (error.code !== 'regional_host_not_supported') {
    return { status, body: { error: { code: status, ...daemonErrorTable[status] } } };
  }
  const { message, metadata } = usual.body.error;
  const { reason, retryable } = metadata;
  return { status, body: { error: { code: status, message, metadata: { reason, retryable } } } };
}

function isOfTable(status: number): status is DaemonErrorStatus {
  return status in daemonErrorTable;
}

/** Presents an error as an event of a stream, with the same code and message as in an answer. */
export function presentStreamError(
  error: AppError,
  messages?: ErrorMessages,
): NonNullable<ChatCompletionChunkBody['error']> {
  const { code, message, metadata } = presentError(error, messages).body.error;
  return { code, message, metadata: { ...metadata, error_type: metadata.reason } };
}
