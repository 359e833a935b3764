import type { ScimErrorBody } from '../../contract/directory/scim-error.ts';
import type { AppError, ScimType } from '../../domain/errors.ts';
import { presentError } from './error.ts';

/** Providers show the detail to administrators and nothing else: the fields that are wrong are named in it. */
const NAMED_ISSUES = 5;

/** An error in the shape of RFC 7644, under the same status as in ours. */
export function presentScimError(error: AppError): ScimErrorBody {
  const { status, body } = presentError(error);
  const { message, metadata } = body.error;
  const issues = (metadata.issues ?? []).map(({ path, message: rule }) => `${path} ${rule}`);
  const named = issues.slice(0, NAMED_ISSUES).join('; ');
  const scimType = error.options.scimType ?? scimTypeOf(error);
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: `${status}`,
    ...(scimType === undefined ? {} : { scimType }),
    detail: named === '' ? message : `${message}: ${named}`,
  };
}

/** Returns the word for an error that does not bring one. An issue with the body as a whole means that it cannot be read. */
function scimTypeOf({ code, options: { issues = [] } }: AppError): ScimType | undefined {
  if (code !== 'invalid_request') return undefined;
  return issues.some(({ path }) => path === 'body') ? 'invalidSyntax' : 'invalidValue';
}
