import type { Variable } from './config-variable.ts';
import { jobVariables, localUpstreamVariables, webhookVariables } from './job-variables.ts';
import { ledgerVariables } from './ledger-variables.ts';
import { limitVariables } from './limit-variables.ts';
import { metricsVariables } from './metrics-variables.ts';
import {
  databaseVariables,
  httpVariables,
  processVariables,
  temporalVariables,
  workerVariables,
} from './server-variables.ts';
import { objectStoreVariables, safetyVariables } from './storage-variables.ts';

interface Section {
  title: string;
  variables: Record<string, Variable<unknown>>;
  note?: string;
}

const SECTIONS: Section[] = [
  { title: 'Every process', variables: processVariables },
  { title: 'HTTP', variables: httpVariables },
  { title: 'Postgres', variables: databaseVariables },
  { title: 'Temporal', variables: temporalVariables },
  { title: 'Worker', variables: workerVariables },
  {
    title: 'Object store',
    variables: objectStoreVariables,
    note: 'Give a bucket a lifecycle rule that aborts unfinished multipart uploads after a day: a process that dies while it uploads leaves one behind.',
  },
  { title: 'Safety', variables: safetyVariables },
  { title: 'Ledger', variables: ledgerVariables },
  { title: 'Limits', variables: limitVariables },
  { title: 'Video jobs', variables: jobVariables },
  { title: 'Webhooks', variables: webhookVariables },
  { title: 'Metrics', variables: metricsVariables },
  { title: 'Local upstream', variables: localUpstreamVariables },
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

function renderSection({ title, note, variables }: Section): string {
  const entries = Object.entries(variables).map(([name, variable]) => renderVariable(name, variable));
  return [`## ${title}`, ...(note === undefined ? [] : [note]), ...entries].join('\n\n');
}

function renderVariable(name: string, { sentence, example, secret, unset }: Variable<unknown>): string {
  const absent = unset === undefined ? 'Must be set.' : `When not set: ${unset.text}.`;
  const shown = unset?.text === `\`${example}\`` ? '' : ` Example: \`${example}\`.`;
  return `### \`${name}\`\n\n${sentence}${secret === true ? ' Secret.' : ''} ${absent}${shown}`;
}
