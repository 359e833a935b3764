import type { DevFile } from './dev-file.ts';

/** Returns the first steps with a running stack, ready to paste. */
export function firstSteps(facts: DevFile, model: string, devFile: string): string {
  const origin = facts.base_url.replace(/\/api\/v1$/, '');
  const body = JSON.stringify({ model, prompt: 'A paper boat crossing a rain puddle' });
  return `
Sluice is running.

  API            ${facts.base_url}
  API reference  ${origin}/docs
  Temporal UI    ${facts.temporal_ui ?? '(runs elsewhere; set TEMPORAL_UI_URL to see it here)'}
  Upstream       ${facts.upstream_url}
  Keys and all   ${devFile}

Submit a video job:

curl -s ${facts.base_url}/videos \\
  -H 'Authorization: Bearer ${facts.api_key}' \\
  -H 'Content-Type: application/json' \\
  -d '${body}'

npm run demo shows a whole job, in another terminal. Ctrl-C stops everything.
`;
}
