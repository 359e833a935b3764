/** A stand-in for Google's token servers, which refuses what they refuse. */
import { jwtVerify } from 'jose';
import { generateKeyPairSync } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { type LoopbackServer, startLoopbackServer } from '../../platform/loopback-server.ts';
import { sendJson } from '../../support/vendor-server.ts';
import { UPSTREAM_KEY } from '../upstream-client.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const EMAIL = 'gateway@our-project.iam.gserviceaccount.com';
/** The token of another cloud, which workload identity exchanges. */
export const SUBJECT_TOKEN = 'subject-token-of-another-cloud';

export interface TokenServer extends LoopbackServer {
  /** The number of requests that have arrived. */
  asked(): number;
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
  let [asked, count] = [0, 0];
  let seconds = 3600;
  let awaited: Promise<void> | undefined;
  let other: { status: number; body: object } | undefined;
  const server = await startLoopbackServer((request, response) => {
    void text(request).then(async (body) => {
      asked += 1;
      await awaited;
      const form = new URLSearchParams(body);
      const isGranted = request.url === '/sts' ? isSubject(form) : await isAssertion(form, server.origin);
      if (!isGranted) return sendJson(response, 400, { error: 'invalid_grant' });
      if (other !== undefined) return sendJson(response, other.status, other.body);
      count += 1;
      const issued_token_type = 'urn:ietf:params:oauth:token-type:access_token';
      const token = { access_token: accessToken, expires_in: seconds, token_type: 'Bearer' };
      sendJson(response, 200, { ...token, ...(request.url === '/sts' && { issued_token_type }) });
    });
  });
  return {
    ...server,
    asked: () => asked,
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

/** Returns whether the account signed a request for a token of at most an hour, a minute ago at most. */
async function isAssertion(form: URLSearchParams, origin: string): Promise<boolean> {
  const expected = { algorithms: ['RS256'], issuer: EMAIL, audience: `${origin}/token`, maxTokenAge: 60 };
  const verified = await jwtVerify(form.get('assertion') ?? '', publicKey, expected).catch(() => undefined);
  if (verified === undefined) return false;
  const { iat = 0, exp = Infinity, scope } = verified.payload;
  return (
    form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer' &&
    verified.protectedHeader.kid === 'key-1' &&
    scope === 'https://www.googleapis.com/auth/cloud-platform' &&
    exp - iat <= 3_600
  );
}

function isSubject(form: URLSearchParams): boolean {
  const grant = 'urn:ietf:params:oauth:grant-type:token-exchange';
  return form.get('grant_type') === grant && form.get('subject_token') === SUBJECT_TOKEN;
}
