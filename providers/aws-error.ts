/** Reads the names of errors that services of AWS state, and the statuses that they mean. */
import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorFields } from './error-fields.ts';

/**
 * The statuses of Bedrock's errors. Those of a stream have none, and two statuses of HTTP say less than the name: a
 * spent quota is a 400, and a model that fails is a 424 (docs.aws.amazon.com/bedrock/latest/APIReference,
 * API_runtime_Converse and API_runtime_ConverseStream, as `@aws-sdk/client-bedrock-runtime` 3.1162 quotes them, read
 * 2026-11-28).
 */
const STATUSES = new Map([
  ['validationException', 400],
  ['accessDeniedException', 403],
  ['resourceNotFoundException', 404],
  ['modelTimeoutException', 408],
  ['throttlingException', 429],
  ['modelNotReadyException', 429],
  ['serviceQuotaExceededException', 429],
  ['internalServerException', 500],
  ['modelErrorException', 502],
  ['modelStreamErrorException', 502],
  ['serviceUnavailableException', 503],
]);

/** Returns the status that an error of this name means; undefined for other names. */
export function statusOfAwsError(name = ''): number | undefined {
  // Frames of a stream have the names with a small first letter.
  return STATUSES.get(name.charAt(0).toLowerCase() + name.slice(1));
}

/** Returns the facts of an error, with the name that AWS states in a header: `ThrottlingException:http://…`. */
export function withAwsCode(fields: ErrorFields, headers: IncomingHttpHeaders): ErrorFields {
  const name = headers['x-amzn-errortype'];
  return typeof name === 'string' ? { ...fields, code: name.split(':')[0] } : fields;
}
