import type { Variable, Variables } from '../platform/config-variable.ts';
import * as jobs from '../platform/job-variables.ts';
import * as server from '../platform/server-variables.ts';
import * as storage from '../platform/storage-variables.ts';

const SECTIONS: [title: string, variables: Variables, note?: string][] = [
  ['Every process', server.processVariables],
  ['HTTP', server.httpVariables],
  ['Postgres', server.databaseVariables],
  ['Temporal', server.temporalVariables],
  ['Worker', server.workerVariables],
  [
    'Object store',
    { ...storage.objectStoreVariables, ...storage.retentionVariables },
    'Give a bucket a lifecycle rule that aborts unfinished multipart uploads after a day: a process that dies while it uploads leaves one behind.',
  ],
  ['Safety', storage.safetyVariables],
  ['Ledger', storage.ledgerVariables],
  ['Limits', jobs.limitVariables],
  ['Video jobs', jobs.jobVariables],
  ['Webhooks', jobs.webhookVariables],
  ['Metrics', server.metricsVariables],
  ['Local upstream', jobs.localUpstreamVariables],
];

const INTRODUCTION = `# Configuration

Sluice is configured by environment variables and by nothing else. If a variable is missing or malformed, the process lists every error and does not start.

Spaces around a value are ignored. An empty value counts as not set. Durations are whole numbers with a unit (\`500ms\`, \`15s\`, \`5m\`, \`24h\`, \`7d\`), sizes likewise (\`512B\`, \`64KiB\`, \`1MiB\`, \`2GiB\`). Lists are separated by commas.

This page is generated from the table that the code reads the environment with.`;

const PROVIDERS = `## Providers

For each provider, by its slug in upper case and with \`_\` for \`-\` (\`openai-compatible\` is \`OPENAI_COMPATIBLE\`):

- \`PROVIDER_<SLUG>_API_KEY\` (secret): the operator's credential. Without it the provider's endpoints are not routable, unless the provider needs none.
- \`PROVIDER_<SLUG>_BASE_URL\`: where its API is. Without it: the vendor's own address.
- \`PROVIDER_<SLUG>_WEBHOOK_SECRET\` (secret): what the vendor signs its callbacks with, \`whsec_\` and base64 (Replicate shows it at \`GET /v1/webhooks/default/secret\`). With it, a callback needs the vendor's signature besides the token in its address; without it, the token alone.`;

/** Returns the text of docs/configuration.md. */
export function renderConfigurationPage(): string {
  return `${[INTRODUCTION, ...SECTIONS.map(renderSection), PROVIDERS].join('\n\n')}\n`;
}

function renderSection([title, variables, note]: (typeof SECTIONS)[number]): string {
  const entries = Object.values(variables).map(renderVariable);
  return [`## ${title}`, ...(note === undefined ? [] : [note]), ...entries].join('\n\n');
}

function renderVariable({ name, sentence, example, secret, unset }: Variable<unknown>): string {
  const absent = unset === undefined ? 'Must be set.' : `When not set: ${unset}.`;
  const shown = unset === `\`${example}\`` ? '' : ` Example: \`${example}\`.`;
  return `### \`${name}\`\n\n${sentence}${secret === true ? ' Secret.' : ''} ${absent}${shown}`;
}
