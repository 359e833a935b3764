import type { ScimErrorBody } from '../../../contract/directory/scim-error.ts';
import type { AppError, ScimType } from '../../../domain/errors.ts';
import { errorTable } from '../../../contract/errors.ts';

/** Providers show the detail to administrators and nothing else: the fields that are wrong are named in it. */
const NAMED_ISSUES = 5;

/** An error in the shape of RFC 7644, under the same status as in ours. */
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
    ...(scimType === undefined ? {} : { scimType }),
    detail: named === '' ? message : `${message}: ${named}`,
  };
}

/** Returns the word for an error that does not bring one. An issue with the body as a whole means that it cannot be read. */
function scimTypeOf({ code, options: { issues = [] } }: AppError): ScimType | undefined {
  if (code !== 'invalid_request') return undefined;
  return issues.some(({ path }) => path === 'body') ? 'invalidSyntax' : 'invalidValue';
}
