/** Authorizes requests to Bedrock: with an API key, or with a signature by keys of AWS. */
import { setTimeout } from 'node:timers/promises';
import { withoutUndefined } from '../../domain/fields.ts';
import { ProviderError } from '../../domain/provider-error.ts';
import { PUBLIC_MESSAGES, scrubVendorText } from '../public-message.ts';
import { aborted } from '../text-exchange.ts';
import type { Authorize } from '../text-http.ts';
import type { BedrockCredential, FoundKeys, StaticKeys } from './credential.ts';

/** Keys that sign requests. Keys with an expiration are replaced before it. */
type AwsKeys = Pick<StaticKeys, 'accessKeyId' | 'secretAccessKey' | 'sessionToken'> & { expiration?: Date };

/** The time before the expiration of keys at which new ones are fetched. */
const RENEW_BEFORE_MS = 5 * 60_000;
/** The time in which the machine or AWS must return keys. */
const KEYS_TIMEOUT_MS = 10_000;

/** Returns the function that authorizes requests with the credential. */
export function createAuthorizer(credential: BedrockCredential): Authorize {
  if ('apiKey' in credential) {
    const headers = { authorization: `Bearer ${credential.apiKey}` };
    return async () => headers;
  }
  const { region } = credential;
  const isStatic = 'accessKeyId' in credential && !('roleArn' in credential);
  const keysOf = isStatic ? async () => credential : renewed(credential);
  /** The signing keys of a day, which the signer derives from a secret. Those of replaced keys are dropped with it. */
  let derived: { of: AwsKeys; cache: Map<string, ArrayBuffer> } | undefined;
  return async ({ url, body, signal }) => {
    const keys = await keysOf(signal);
    if (derived?.of !== keys) derived = { of: keys, cache: new Map() };
    const { cache } = derived;
    const { AwsV4Signer } = await import('aws4fetch');
    const request = { method: 'POST', url, body, service: 'bedrock', region, cache };
    const { headers } = await new AwsV4Signer({ ...request, ...keysIn(keys) }).sign();
    return Object.fromEntries(headers);
  };
}

/** Returns a function that returns keys which are valid for some time. Concurrent requests wait for the same keys. */
function renewed(credential: FoundKeys): (signal: AbortSignal) => Promise<AwsKeys> {
  let provider: ReturnType<typeof providerOf> | undefined;
  let current: AwsKeys | undefined;
  let coming: Promise<AwsKeys> | undefined;
  const fetchKeys = async (): Promise<AwsKeys> => {
    provider ??= providerOf(credential);
    current = await (await provider)();
    return current;
  };
  return async (signal) => {
    const expiresAt = current?.expiration?.getTime() ?? Infinity;
    if (current !== undefined && expiresAt - RENEW_BEFORE_MS > Date.now()) return current;
    coming ??= fetchKeys().finally(() => (coming = undefined));
    try {
      return await within(coming, signal);
    } catch (error) {
      if (signal.aborted) throw aborted(signal, false);
      throw withoutKeys(error);
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

/** Settles with the keys, or rejects when the caller aborts or the time is over. */
async function within(keys: Promise<AwsKeys>, signal: AbortSignal): Promise<AwsKeys> {
  const settled = new AbortController();
  const timer = { signal: AbortSignal.any([signal, settled.signal]) };
  const late = setTimeout(KEYS_TIMEOUT_MS, undefined, timer).then(() => {
    throw new Error('AWS returned no keys in time');
  });
  return Promise.race([keys, late]).finally(() => settled.abort());
}

/** Returns the error for a credential with which no keys can be had. Nothing was sent to the model. */
function withoutKeys(error: unknown): ProviderError {
  const words = error instanceof Error ? `${error.name}: ${error.message}` : 'unknown';
  return new ProviderError({
    code: 'unauthorized',
    sent: false,
    retryable: false,
    publicMessage: PUBLIC_MESSAGES.unauthorized,
    cause: new Error(scrubVendorText(`no keys of AWS: ${words}`, [])),
  });
}
