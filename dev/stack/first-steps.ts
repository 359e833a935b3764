import path from 'node:path';
import type { DevFile } from './dev-file.ts';
import type { OwnModels } from './own-models/offer-models.ts';
import type { StackProviders } from './providers.ts';

/** Returns the first steps with a running stack, ready to paste. */
export function firstSteps(
  facts: DevFile,
  model: string,
  devFile: string,
  { configured, missingKey, ownModels, chatModel }: StackProviders,
  consoleLink: string,
): string {
  const origin = facts.base_url.replace(/\/api\/v1$/, '');
  return `
Sluice is running.

  Console        ${consoleLink}
                 (signs you in, once and within 15 minutes; later: ${origin}/console)
  API            ${facts.base_url}
  API reference  ${origin}/docs
  Temporal UI    ${facts.temporal_ui ?? '(runs elsewhere; set TEMPORAL_UI_URL to see it here)'}
  Upstream       ${facts.upstream_url}
  Providers      ${configured.join(', ')}
${ownModels.map(describeOwn).join('')}  Keys and all   ${devFile}
  Logs           ${path.join(path.dirname(devFile), 'logs')}

${chatModel === undefined ? firstVideo(facts, model) : firstChat(facts, chatModel)}

${addProvider(missingKey, chatModel !== undefined)}In another terminal:

npm run demo               shows a whole job
npm run admin -- --help    lists the commands of operators

Ctrl-C stops everything.
`;
}

function firstVideo(facts: DevFile, model: string): string {
  const body = { model, prompt: 'A paper boat crossing a rain puddle' };
  return `Submit a video job:\n\n${curl(facts, '/videos', body)}`;
}

function firstChat(facts: DevFile, model: string): string {
  const body = { model, messages: [{ role: 'user', content: 'Say hello in one sentence.' }] };
  return `Send a chat to ${model}:\n\n${curl(facts, '/chat/completions', body)}`;
}

function curl(facts: DevFile, operation: string, body: object): string {
  return `curl -s ${facts.base_url}${operation} \\
  -H 'Authorization: Bearer ${facts.api_key}' \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(body)}'`;
}

/** Returns a line about a server that was found on this machine. */
function describeOwn({ slug, name, baseUrl, models }: OwnModels): string {
  if (models.length === 0) {
    const how = slug === 'ollama' ? ': ollama pull llama3.2' : '';
    return `  ${name.padEnd(13)}  found at ${baseUrl} without a model. Add one, and start again${how}\n`;
  }
  const count = `${models.length} ${models.length === 1 ? 'model' : 'models'}`;
  return `  ${name.padEnd(13)}  found at ${baseUrl}: ${count}, free of charge, such as ${models[0]}\n`;
}

/** Returns how to add a vendor, with an empty line after it; nothing if all are there. */
function addProvider(key: string | undefined, hasRealModel: boolean): string {
  if (key === undefined) return '';
  return `${hasRealModel ? 'Add another vendor' : 'Call a real model'}: stop with Ctrl-C, and start with the key of a vendor:

${key}=… npm start

npm run admin -- providers list names all vendors, what each needs, and what it can do.

`;
}
