/** Describes the credentials of Vertex AI, which are JSON objects, and finds the address of their region. */
import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import type { Fields } from '../../../domain/fields.ts';

/** Project and region become parts of the address, so they may contain nothing but the characters of their names. */
const place = {
  project_id: z.string().regex(/^[a-z][a-z0-9.:-]{1,62}$/, 'must be the id of a project'),
  region: z
    .string()
    .regex(
      /^(global|eu|us|[a-z]+-[a-z]+\d{1,2})$/,
      'must be global, eu, us, or a region such as europe-west4',
    )
    .default('global'),
};
const text = z.string().min(1);

/** The largest key in bits. Longer ones, which Google does not make, take seconds of computing for a signature. */
const MAX_KEY_BITS = 4_096;

/** The file of a service account, as Google's console writes it, perhaps with a region. */
const serviceAccount = z.looseObject({
  ...place,
  type: z.literal('service_account'),
  client_email: text,
  private_key: z.string().refine(isPrivateKey, 'must be a private key in PEM'),
  private_key_id: text,
  token_uri: z.url().default('https://oauth2.googleapis.com/token'),
});

/** The configuration of workload identity, as `gcloud iam workload-identity-pools create-cred-config` writes it. */
const externalAccount = z.looseObject({
  ...place,
  type: z.literal('external_account'),
  audience: text,
  subject_token_type: text,
  credential_source: z.looseObject({}),
});

/** The identity of the machine: that of a file in the environment, or of the metadata server. */
const machine = z.strictObject({ ...place, source: z.literal('environment') });

export type ServiceAccount = z.infer<typeof serviceAccount>;
/** A credential that Google's library understands. */
export type LibraryCredential = z.infer<typeof externalAccount> | z.infer<typeof machine>;
export type VertexCredential = ServiceAccount | LibraryCredential;

export function isServiceAccount(credential: VertexCredential): credential is ServiceAccount {
  return 'type' in credential && credential.type === 'service_account';
}

function isPrivateKey(pem: string): boolean {
  try {
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = createPrivateKey(pem);
    return type === 'rsa' && (details?.modulusLength ?? Infinity) <= MAX_KEY_BITS;
  } catch {
    return false;
  }
}

/**
 * Returns the schema for an object with these fields. `isOfMachine`: the credential names an identity of the machine on
 * which the gateway runs, or files of it, which only its operator may use.
 */
export function vertexSchemaFor({ type, source }: Fields): {
  schema: z.ZodType<VertexCredential>;
  isOfMachine: boolean;
} {
  if (source !== undefined) return { schema: machine, isOfMachine: true };
  return type === 'external_account'
    ? { schema: externalAccount, isOfMachine: true }
    : { schema: serviceAccount, isOfMachine: false };
}

/** Returns Google's address of a region. */
export function vertexUrl({ region }: Pick<VertexCredential, 'region'>): string {
  return `https://${hostOf(region)}/v1beta1`;
}

function hostOf(region: string): string {
  const host = 'aiplatform.googleapis.com';
  if (region === 'global') return host;
  return region === 'eu' || region === 'us' ? `aiplatform.${region}.rep.googleapis.com` : `${region}-${host}`;
}

/** Returns the address of the project and the region of a credential, below a base URL. */
export function placeOf(baseUrl: string, { project_id: project, region }: VertexCredential): string {
  return `${baseUrl.replace(/\/+$/, '')}/projects/${project}/locations/${region}`;
}
