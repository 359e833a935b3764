import type { Issue } from '../../domain/errors.ts';
import type { CredentialSettings } from './credential-draft.ts';

type Flags = Pick<CredentialSettings, 'isFallback' | 'isByokOnly'>;

/**
 * Returns the issue of a credential that is a fallback after shared endpoints and also forbids shared endpoints. `sent`
 * are the flags of the request; absent ones are taken from `stored`.
 */
export function issuesOfFlags(sent: Partial<Flags>, stored: Flags): Issue[] {
  const { isFallback, isByokOnly } = { ...stored, ...sent };
  if (!isFallback || !isByokOnly) return [];
  const field = sent.isFallback === true ? 'is_fallback' : 'is_byok_only';
  return [
    { path: `body.${field}`, message: 'must not be true: is_fallback and is_byok_only exclude each other' },
  ];
}
