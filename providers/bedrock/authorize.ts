/** Authorizes requests to Bedrock: with an API key, or with a signature by keys of AWS. */
import { withoutUndefined } from '../../domain/fields.ts';
import { scrubVendorText } from '../public-message.ts';
import { type Expiring, Renewed, withoutCredential } from '../renewed.ts';
import type { Authorize } from '../text-http.ts';
import type { BedrockCredential, FoundKeys, StaticKeys } from './credential.ts';

/** Keys that sign requests. Keys with an expiration are replaced before it. */
type AwsKeys = Pick<StaticKeys, 'accessKeyId' | 'secretAccessKey' | 'sessionToken'> & { expiration?: Date };

/** Authorizes requests with one credential. */
export interface Authorizer {
  authorize: Authorize;
  /** Returns the fetched keys of this moment, which errors must not contain. */
  secrets(): string[];
}

export function createAuthorizer(credential: BedrockCredential): Authorizer {
  if ('apiKey' in credential) {
    const headers = { authorization: `Bearer ${credential.apiKey}` };
    return { authorize: async () => headers, secrets: () => [] };
  }
  const { region } = credential;
  if ('accessKeyId' in credential && !('roleArn' in credential))
    return { authorize: signWith(region, async () => credential), secrets: () => [] };
  const keys = new Renewed(keySource(credential));
  return {
    authorize: signWith(region, () => keys.get()),
    secrets: () =>
      keys.recent.flatMap(({ secretAccessKey, sessionToken = '' }) => [secretAccessKey, sessionToken]),
  };
}

function signWith(region: string, keysOf: () => Promise<AwsKeys>): Authorize {
  /** The signing keys of a day, which the signer derives from a secret. Those of replaced keys are dropped with it. */
  let derived: { of: AwsKeys; cache: Map<string, ArrayBuffer> } | undefined;
  return async ({ url, body }) => {
    const keys = await keysOf();
    if (derived?.of !== keys) derived = { of: keys, cache: new Map() };
    const { cache } = derived;
    const { AwsV4Signer } = await import('aws4fetch');
    const request = { method: 'POST', url, body, service: 'bedrock', region, cache };
    const { headers } = await new AwsV4Signer({ ...request, ...keysIn(keys) }).sign();
    return Object.fromEntries(headers);
  };
}

function keySource(credential: FoundKeys): () => Promise<Expiring<AwsKeys>> {
  let provider: ReturnType<typeof providerOf> | undefined;
  return async () => {
    try {
      const keys = await (await (provider ??= providerOf(credential)))();
      return { value: keys, expiresAtMs: keys.expiration?.getTime() ?? Infinity };
    } catch (error) {
      const words = error instanceof Error ? `${error.name}: ${error.message}` : 'unknown';
      const cause = new Error(scrubVendorText(`no keys of AWS: ${words}`, []));
      throw withoutCredential('unauthorized', cause);
    }
  };
}

/** Loads the package that finds keys. Only credentials without keys of their own need it. */
async function providerOf(credential: FoundKeys): Promise<() => Promise<AwsKeys>> {
  const aws = await import('@aws-sdk/credential-providers');
  const clientConfig = { region: credential.region };
  if ('profile' in credential) return aws.fromIni({ profile: credential.profile, clientConfig });
  if ('source' in credential) return aws.fromNodeProviderChain({ clientConfig });
  const { roleArn, sessionName } = credential;
  if ('webIdentityTokenFile' in credential) {
    const { webIdentityTokenFile } = credential;
    return aws.fromTokenFile({ roleArn, roleSessionName: sessionName, webIdentityTokenFile, clientConfig });
  }
  const { externalId: ExternalId } = credential;
  return aws.fromTemporaryCredentials({
    params: withoutUndefined({ RoleArn: roleArn, RoleSessionName: sessionName, ExternalId }),
    ...('accessKeyId' in credential && { masterCredentials: keysIn(credential) }),
    clientConfig,
  });
}

function keysIn({ accessKeyId, secretAccessKey, sessionToken }: AwsKeys) {
  return withoutUndefined({ accessKeyId, secretAccessKey, sessionToken });
}
