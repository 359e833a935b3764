import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { testWebhookVerifier, type WebhookToVerify } from '../../support/webhook-verifier-suite.ts';
import { pythonOf } from './run-script.ts';

const FOLDER = path.join(import.meta.dirname, '..', '..', '..', 'examples', 'verify-webhook');
const CALL = `
import json, sys
from verify_webhook import verify_webhook
call = json.load(sys.stdin)
print(json.dumps(verify_webhook(**{**call, "body": call["body"].encode()})))
`;

testWebhookVerifier(verify);

function verify({ now, ...webhook }: WebhookToVerify): boolean {
  const { stdout, stderr } = spawnSync(pythonOf('newest'), ['-c', CALL], {
    cwd: FOLDER,
    env: { PYTHONDONTWRITEBYTECODE: '1', PYTHONUTF8: '1' },
    input: JSON.stringify({ ...webhook, now: now.getTime() / 1_000 }),
    encoding: 'utf8',
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as boolean;
}
