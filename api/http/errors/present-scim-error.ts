/** Presents the errors of the SCIM server to identity providers. */
import type { ScimErrorBody } from '../../../contract/directory/scim-error.ts';
import type { AppError, ScimType } from '../../../domain/errors.ts';
import { errorTable } from '../../../contract/errors.ts';

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
    ...(scimType === undefined ? {} : { scimType }),
    detail: named === '' ? message : `${message}: ${named}`,
  };
}

/** Returns the SCIM type of an error without one. An issue with the whole body means that it cannot be parsed. */
function scimTypeOf({ code, options: { issues = [] } }: AppError): ScimType | undefined {
  if (code !== 'invalid_request') return undefined;
  return issues.some(({ path }) => path === 'body') ? 'invalidSyntax' : 'invalidValue';
}
