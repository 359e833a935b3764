import { createHash } from 'node:crypto';
import {
  type SeenInvocations,
  verifyInvocation,
  type Verdict,
} from '../../examples/verify-invocation/verify-invocation.ts';
import { newUuid } from '../../domain/ids.ts';
import { createEncryption } from '../../platform/encryption.ts';
import { newVault } from '../../services/interns/vault/new-vault.ts';
import { addKey, type IssuedKey, type Place } from './accounts.ts';
import { createCaller } from './caller.ts';
import { type Gateway, type GatewayOptions, startGateway } from './gateway.ts';

export const SUBJECT = 'user|alice@example.com';

/** A gateway whose organization is in the programme of interns. */
export function startDaemonGateway(options: GatewayOptions = {}): Promise<Gateway> {
  return startGateway({ bootstrap: { entitlements: ['interns'] }, ...options });
}

/** Adds an intern of the gateway's own workspace, unless another place is given. Returns its id. */
export async function addIntern(
  { database, config, organizationId, workspaceId }: Pick<Gateway, 'database' | 'config'> & Place,
  place: Place = { organizationId, workspaceId },
): Promise<string> {
  const id = newUuid();
  const vault = newVault(createEncryption(config.encryption));
  await database.query(
    `insert into interns (id, organization_id, workspace_id, creator, name, request_hash)
     values ($1::uuid, $2, $3, 'user_test', $1::text, '')`,
    [id, place.organizationId, place.workspaceId],
  );
  await database.query(
    'insert into vaults (id, organization_id, workspace_id, intern_id, sealed_key) values ($1, $2, $3, $4, $5)',
    [vault.id, place.organizationId, place.workspaceId, id, vault.sealedKey],
  );
  return id;
}

/** Adds a regular key of a person, which may sign. */
export function addPersonalKey(
  gateway: Parameters<typeof addKey>[0],
  identitySubject = SUBJECT,
): Promise<IssuedKey> {
  return addKey(gateway, { identitySubject });
}

export function sha256Of(body: string | Buffer): string {
  return createHash('sha256').update(body).digest('hex');
}

export const BODY = '{"message":"Good morning"}';

/** Asks for a proof for `BODY`, unless another body is given. */
export function askProof(
  { origin }: Pick<Gateway, 'origin'>,
  token: string | undefined,
  internId: string,
  body: unknown = { bodySha256: sha256Of(BODY) },
  headers: Record<string, string> = {},
): Promise<Response> {
  return createCaller(origin, token).call('POST', `/interns/${internId}/daemon/sign`, { body, headers });
}

export type WireProof = Record<`x-svc-invoke-${'signature' | 'timestamp' | 'user'}`, string>;

export async function proofFor(
  gateway: Pick<Gateway, 'origin'>,
  token: string,
  internId: string,
): Promise<WireProof> {
  const response = await askProof(gateway, token, internId);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as WireProof;
}

export interface WireJwk {
  kty: string;
  crv: string;
  x: string;
  kid: string;
  alg: string;
  use: string;
}

export async function publishedKeys({ origin }: Pick<Gateway, 'origin'>): Promise<WireJwk[]> {
  const response = await createCaller(origin).call('GET', '/interns/daemon/jwks.json');
  return ((await response.json()) as { keys: WireJwk[] }).keys;
}

/** Verifies a proof for `BODY` as a sidecar does that has just read the published keys. */
export async function verifyAsSidecar(
  gateway: Pick<Gateway, 'origin'>,
  headers: WireProof,
  internId: string,
  seen: SeenInvocations = new Map(),
): Promise<Verdict> {
  const keys = await publishedKeys(gateway);
  return verifyInvocation({ headers, body: Buffer.from(BODY), internId, keys, seen });
}
