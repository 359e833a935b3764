/** Defines the names, hosts and values of secrets in requests. */
import { z } from 'zod';
import { parseHostName } from '../../domain/interns/host-name.ts';
import {
  isSecretName,
  MAX_HOSTS_OF_SECRET,
  MAX_SECRET_NAME_LENGTH,
  MAX_SECRET_VALUE_LENGTH,
  SECRET_NAME_PATTERN,
} from '../../domain/interns/vault.ts';
import { queryInteger } from '../query-values.ts';
import { text } from '../text.ts';

const MAX_NAMES = 100;

/** The name of a secret, in paths and bodies. */
export const secretName = z
  .string()
  .refine(
    isSecretName,
    `must have 1 to ${MAX_SECRET_NAME_LENGTH} lower-case letters, digits and single underscores, begin with a letter, and not end with an underscore`,
  )
  .meta({
    description:
      'Lower-case letters, digits and single underscores; begins with a letter and does not end with an underscore.',
    examples: ['stripe_key'],
    maxLength: MAX_SECRET_NAME_LENGTH,
    pattern: SECRET_NAME_PATTERN.source,
  });

const host = z
  .string()
  .refine(
    (value) => parseHostName(value) !== undefined,
    'must be an exact DNS name in ASCII, such as api.example.com, without scheme, port or path',
  )
  .transform((value) => parseHostName(value) ?? value);

/** The body that stores a secret. Hosts are normalized, and duplicates removed. */
export const newSecret = z
  .object({
    value: text({ min: 1, max: MAX_SECRET_VALUE_LENGTH }).meta({
      description: 'The secret itself. It is stored encrypted and never shown again.',
      writeOnly: true,
    }),
    hosts: z
      .array(host)
      .min(1)
      .max(MAX_HOSTS_OF_SECRET)
      .transform((hosts) => [...new Set(hosts)])
      .meta({
        description:
          'The only hosts that may receive the secret: exact DNS names. Names of other scripts are written as `xn--…`.',
      }),
  })
  .meta({ id: 'NewVaultSecret' });

export const copyRequest = z
  .object({
    names: z
      .array(secretName)
      .min(1)
      .max(MAX_NAMES)
      .refine((names) => new Set(names).size === names.length, 'must not repeat a name')
      .meta({ description: 'The names of secrets of the workspace.', uniqueItems: true }),
  })
  .meta({ id: 'VaultSecretCopy' });

/** The page parameters of all lists of secrets. */
export const vaultPageQuery = z.object({
  limit: queryInteger({ min: 1, max: 100 })
    .default(100)
    .meta({ description: 'The maximum number of secrets to return.' }),
  offset: queryInteger({ min: 0, max: 10_000 })
    .default(0)
    .meta({ description: 'The number of secrets to skip.' }),
});
