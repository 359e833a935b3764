import { AppError, type ScimType } from '../../errors.ts';

/**
 * Returns the error that rejects a SCIM request: 409 for a uniqueness conflict, else 400. The caller sees the detail.
 */
export function refuse(scimType: ScimType, detail: string): AppError {
  const code = scimType === 'uniqueness' ? 'conflict' : 'invalid_request';
  return new AppError(code, { publicMessage: detail, reason: scimType, scimType, retryable: false });
}
