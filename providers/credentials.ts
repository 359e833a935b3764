/** Reads the credentials of vendors that need more than a key, and finds out their addresses. */
import type { ZodType } from 'zod';
import { type CredentialSecret, parseCredentialKey } from '../domain/endpoints/credential-key.ts';
import { type Fields, fieldsInJson } from '../domain/fields.ts';
import { bedrockSchemaFor, bedrockUrl } from './bedrock/credential.ts';
import { vertexSchemaFor, vertexUrl } from './google/vertex/credential.ts';

/** The credentials of a vendor, which are JSON objects. */
interface JsonCredential {
  /** Returns the schema for an object with these fields, and whether its identity is that of the machine. */
  schemaFor(fields: Fields): { schema: ZodType<Fields>; isOfMachine: boolean };
  /** Returns the vendor's address for a valid credential. */
  urlOf(credential: Fields): string;
  /** The names of the fields with secrets, first those that requests contain. */
  secrets: readonly string[];
  /** The names of the fields of which the first present one identifies a credential, as its ends may be shown. */
  shown: readonly string[];
  /** An example for the operator. */
  example: string;
  /** True: a plain key is a credential too, beside an address. */
  takesPlainKey: boolean;
  /** The name of the field with the address that issues tokens. Absent: no credential names one. */
  tokenUrl?: string;
}

/** The vendors with such credentials, by their adapters. */
const VENDORS: Record<string, JsonCredential> = {
  bedrock: {
    schemaFor: bedrockSchemaFor as JsonCredential['schemaFor'],
    urlOf: (credential) => bedrockUrl(credential as { region: string }),
    secrets: ['apiKey', 'sessionToken', 'secretAccessKey'],
    shown: ['apiKey', 'accessKeyId', 'roleArn'],
    example: '{"region":"us-east-1","accessKeyId":"AKIA…","secretAccessKey":"…"}',
    takesPlainKey: true,
  },
  'google-vertex': {
    schemaFor: vertexSchemaFor as JsonCredential['schemaFor'],
    urlOf: (credential) => vertexUrl(credential as { region: string }),
    secrets: ['private_key'],
    shown: ['private_key_id'],
    example: '{"type":"service_account","project_id":"…","private_key":"…", …}',
    takesPlainKey: false,
    tokenUrl: 'token_uri',
  },
};

/** The one who configured a credential. A customer may not use an identity of the operator's machine. */
export type CredentialOwner = 'operator' | 'customer';

/**
 * Reads the credential for an adapter. `apiKey` of the result is the whole text, which the adapter parses again.
 * Returns a text that names the broken rule, and the field that breaks it, if the credential is invalid.
 */
export function readCredential(
  adapter: string,
  key: string,
  owner: CredentialOwner,
): CredentialSecret | string {
  const vendor = VENDORS[adapter];
  const isPlain = !key.trimStart().startsWith('{');
  if (vendor === undefined || (isPlain && vendor.takesPlainKey))
    return plain(parseCredentialKey(adapter, key));
  const parsed = parseJson(vendor, key);
  if (typeof parsed === 'string') return parsed;
  if (owner === 'customer' && parsed.isOfMachine)
    return 'must contain its own secret: it names an identity of the machine that runs the gateway';
  const { fields } = parsed;
  const valuesOf = (names: readonly string[]) => names.flatMap((name) => fields[name] ?? []) as string[];
  const [shown = key] = valuesOf(vendor.shown);
  const [tokenUrl] = valuesOf(vendor.tokenUrl === undefined ? [] : [vendor.tokenUrl]);
  return {
    apiKey: key,
    baseUrl: vendor.urlOf(fields),
    fields,
    shown,
    secrets: valuesOf(vendor.secrets),
    ...(tokenUrl !== undefined && { tokenUrl }),
  };
}

function plain(secret: CredentialSecret | string): CredentialSecret | string {
  return typeof secret === 'string' ? secret : { ...secret, secrets: [secret.apiKey] };
}

/**
 * Returns the address that the operator's requests to a vendor go to: the given one, or the one that follows from the
 * credential; null for none, and for a credential that breaks a rule.
 */
export function addressOf(adapter: string, apiKey: string | undefined, given: string | null): string | null {
  if (apiKey === undefined || !Object.hasOwn(VENDORS, adapter)) return given;
  const secret = readCredential(adapter, apiKey, 'operator');
  return typeof secret === 'string' ? null : (given ?? secret.baseUrl ?? null);
}

/** Returns the rules that the operator's credentials break, for each vendor under its usual slug. */
export function credentialProblems(
  credentials: (slug: string) => { apiKey?: string; baseUrl?: string },
): { slug: string; message: string; example: string }[] {
  return Object.entries(VENDORS).flatMap(([slug, { example }]) => {
    const { apiKey, baseUrl } = credentials(slug);
    if (apiKey === undefined) return [];
    const secret = readCredential(slug, apiKey, 'operator');
    if (typeof secret === 'string') return [{ slug, message: secret, example }];
    const message = 'must be a JSON object, because a plain key tells no address';
    return (baseUrl ?? secret.baseUrl) === undefined ? [{ slug, message, example }] : [];
  });
}

/** Returns the fields of a JSON credential, or a text that names the broken rule. */
function parseJson(vendor: JsonCredential, key: string): { fields: Fields; isOfMachine: boolean } | string {
  const object = fieldsInJson(key);
  if (object === undefined) return 'must be a JSON object';
  const { schema, isOfMachine } = vendor.schemaFor(object);
  const { data, error } = schema.safeParse(object);
  if (error === undefined) return { fields: data, isOfMachine };
  return error.issues.map(({ code, path, message }) => ruleOf(code, path, message, object)).join('; ');
}

/** Returns a rule in words. They never repeat a value, which may be a secret. */
function ruleOf(code: string, path: PropertyKey[], message: string, object: Fields): string {
  const name = path.join('.');
  if (code === 'unrecognized_keys') return message;
  return name in object ? `${name}: ${message}` : `must have the field ${name}`;
}
