import { AppError, type ScimType } from '../../errors.ts';

/** Returns the error that refuses a SCIM request: 409 for what must be unique, else 400. The detail is shown to the caller. */
export function refuse(scimType: ScimType, detail: string): AppError {
  const code = scimType === 'uniqueness' ? 'conflict' : 'invalid_request';
  return new AppError(code, { publicMessage: detail, reason: scimType, scimType, retryable: false });
}
