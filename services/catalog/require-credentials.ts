/** Refuses to start with a credential of a vendor that lacks a field. */
import { ConfigError } from '../../platform/config-variable.ts';
import { type ProviderConfig, providerVariableName } from '../../platform/provider-variables.ts';
import { credentialProblems } from '../../providers/credentials.ts';

/**
 * Throws a ConfigError that names the variables with invalid credentials and their fields. It knows the vendors under
 * their usual slugs only, because the catalog has not been read at the start; others are left out of routing.
 */
export function requireCredentials(credentials: (slug: string) => ProviderConfig): void {
  const problems = credentialProblems(credentials).map(({ slug, message, example }) => ({
    variable: `PROVIDER_${providerVariableName(slug)}_API_KEY`,
    message,
    example,
  }));
  if (problems.length > 0) throw new ConfigError(problems);
}
