/** A stand-in for Google's token servers, which refuses what they refuse. */
import { createVerify, generateKeyPairSync } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { type LoopbackServer, startLoopbackServer } from '../../platform/loopback-server.ts';
import { sendJson } from '../../support/vendor-server.ts';
import { UPSTREAM_KEY } from '../upstream-client.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const EMAIL = 'gateway@our-project.iam.gserviceaccount.com';
/** The token of another cloud, which workload identity exchanges. */
export const SUBJECT_TOKEN = 'subject-token-of-another-cloud';

export interface TokenServer extends LoopbackServer {
  /** The number of tokens that it gave. */
  given(): number;
  /** Answers so from now on, in place of a token. */
  answerWith(answer: { status: number; body: object } | undefined): void;
  /** Answers no request before this. */
  waitFor(moment: Promise<void>): void;
  /** The lifetime of the next tokens. */
  expireIn(seconds: number): void;
  /** The file of a service account, with further fields. */
  serviceAccount(more?: object): string;
  /** The configuration of workload identity, whose subject token is in this file. */
  workloadIdentity(file: string, more?: object): string;
}

/** Starts the server, which gives everyone the same token. */
export async function startTokenServer(accessToken = UPSTREAM_KEY): Promise<TokenServer> {
  let count = 0;
  let seconds = 3600;
  let awaited: Promise<void> | undefined;
  let other: { status: number; body: object } | undefined;
  const server = await startLoopbackServer((request, response) => {
    void text(request).then(async (body) => {
      await awaited;
      const problem =
        request.url === '/sts' ? problemOfSubject(body) : problemOfAssertion(body, server.origin);
      if (problem !== undefined)
        return sendJson(response, 400, { error: 'invalid_grant', error_description: problem });
      if (other !== undefined) return sendJson(response, other.status, other.body);
      count += 1;
      const issued_token_type = 'urn:ietf:params:oauth:token-type:access_token';
      const token = { access_token: accessToken, expires_in: seconds, token_type: 'Bearer' };
      sendJson(response, 200, { ...token, ...(request.url === '/sts' && { issued_token_type }) });
    });
  });
  return {
    ...server,
    given: () => count,
    answerWith: (answer) => (other = answer),
    waitFor: (moment) => void (awaited = moment),
    expireIn: (life) => (seconds = life),
    serviceAccount: (more = {}) =>
      JSON.stringify({
        type: 'service_account',
        project_id: 'our-project',
        private_key_id: 'key-1',
        private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
        client_email: EMAIL,
        client_id: '1',
        token_uri: `${server.origin}/token`,
        universe_domain: 'googleapis.com',
        region: 'europe-west4',
        ...more,
      }),
    workloadIdentity: (file, more = {}) =>
      JSON.stringify({
        type: 'external_account',
        project_id: 'our-project',
        region: 'europe-west4',
        audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q',
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
        token_url: `${server.origin}/sts`,
        credential_source: { file },
        ...more,
      }),
  };
}

function problemOfAssertion(body: string, origin: string): string | undefined {
  const form = new URLSearchParams(body);
  if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') return 'grant_type';
  const [head = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
  const verify = createVerify('sha256').update(`${head}.${claims}`);
  if (!verify.verify(publicKey, signature, 'base64url')) return 'Invalid JWT Signature.';
  const { alg, kid } = decoded(head);
  const { iss, scope, aud, iat, exp } = decoded(claims);
  if (alg !== 'RS256' || kid !== 'key-1') return 'header';
  if (iss !== EMAIL || aud !== `${origin}/token`) return 'Invalid issuer or audience';
  if (scope !== 'https://www.googleapis.com/auth/cloud-platform') return 'scope';
  const age = Date.now() / 1_000 - Number(iat);
  return Math.abs(age) > 60 || Number(exp) - Number(iat) > 3_600 ? 'Invalid JWT: too old' : undefined;
}

function decoded(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
}

function problemOfSubject(body: string): string | undefined {
  const form = new URLSearchParams(body);
  if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:token-exchange') return 'grant_type';
  return form.get('subject_token') === SUBJECT_TOKEN ? undefined : 'subject_token';
}
