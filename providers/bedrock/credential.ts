/** Describes the credentials of Amazon Bedrock. */
import { z } from 'zod';

const text = z.string().regex(/^[\x21-\x7e]+$/, 'must consist of visible ASCII characters');
/** The region becomes a part of the address, so it may contain nothing but the characters of a region. */
const region = z.string().regex(/^[a-z]{2,4}(-[a-z]+)+-\d{1,2}$/, 'must be a region such as us-east-1');
/** The fields of every credential. The owner of the account decides about its guardrail, because AWS bills it. */
const account = {
  region,
  guardrail: z.strictObject({ identifier: text, version: text }).optional(),
};
const accessKey = { accessKeyId: text, secretAccessKey: text, sessionToken: text.optional() };

const apiKey = z.strictObject({ ...account, apiKey: text });
const keys = z.strictObject({ ...account, ...accessKey });
const profile = z.strictObject({ ...account, profile: text });
const role = {
  ...account,
  roleArn: z.string().regex(/^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]+$/, 'must be the ARN of a role'),
  sessionName: text.default('sluice'),
};
const externalId = text.optional();
const assumedRole = z.strictObject({ ...role, externalId });
const assumedByKeys = z.strictObject({ ...role, externalId, ...accessKey });
const webIdentity = z.strictObject({ ...role, webIdentityTokenFile: z.string().min(1) });
const machine = z.strictObject({ ...account, source: z.literal('environment') });

/** Keys that the credential contains. */
export type StaticKeys = z.infer<typeof keys>;

/** A credential that names where keys are found, or with which role they are fetched. */
export type FoundKeys =
  | z.infer<typeof profile>
  | z.infer<typeof assumedRole>
  | z.infer<typeof assumedByKeys>
  | z.infer<typeof webIdentity>
  | z.infer<typeof machine>;

/** A way to be authorized at Bedrock, with the region that it calls. */
export type BedrockCredential = z.infer<typeof apiKey> | StaticKeys | FoundKeys;

/**
 * Returns the schema for an object with these fields. `isOfMachine`: the credential names an identity of the machine
 * on which the gateway runs, which only its operator may use.
 */
export function bedrockSchemaFor(fields: Record<string, unknown>): {
  schema: z.ZodType<BedrockCredential>;
  isOfMachine: boolean;
} {
  if ('apiKey' in fields) return { schema: apiKey, isOfMachine: false };
  if ('profile' in fields) return { schema: profile, isOfMachine: true };
  if ('source' in fields) return { schema: machine, isOfMachine: true };
  if ('webIdentityTokenFile' in fields) return { schema: webIdentity, isOfMachine: true };
  const hasKeys = 'accessKeyId' in fields || 'secretAccessKey' in fields;
  if (!('roleArn' in fields)) return { schema: keys, isOfMachine: false };
  return { schema: hasKeys ? assumedByKeys : assumedRole, isOfMachine: !hasKeys };
}

/** Returns the address of Bedrock in the region of a credential. */
export function bedrockUrl({ region: of }: Pick<BedrockCredential, 'region'>): string {
  return `https://bedrock-runtime.${of}.amazonaws.com${of.startsWith('cn-') ? '.cn' : ''}`;
}
